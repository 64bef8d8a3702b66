import type { IncomingMessage } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { type AnswerRecorder, addCommonHeaders } from "./answering.js";
import { answerError, type ErrorTools } from "./errors.js";
import { type Answer, type Exchange, type Route, type RouteGroup, SENT } from "./exchange.js";
import type { HonoGroup, HttpEnv } from "./hono-group.js";
import { Problem } from "./problem.js";

/** Gives handlers the parts of an exchange that they use, and adds the headers of every answer. */
function exchangeMiddleware(baseUrl: string, recorder: AnswerRecorder): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { exchange } = c.env;
    c.set("requestId", exchange.requestId);
    c.set("caller", exchange.caller);
    c.set("baseUrl", baseUrl);
    await next();
    const { headers } = c.res;
    const common = addCommonHeaders([], exchange);
    for (let i = 0; i < common.length; i += 2) {
      headers.set(common[i] as string, common[i + 1] as string);
    }
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    // The answer to HEAD has no body. Hono drops the stream of one, which would go on for nobody.
    if (c.req.method === "HEAD") await c.res.body?.cancel();
    recorder.record(exchange, c.res.status);
  };
}

function responseOf({ status, body, headers }: Answer): Response {
  return new Response((body ?? null) as string | null, { status, headers: { ...headers } });
}

/** Makes every Hono group a group of the pipeline. */
export function mountHono(
  groups: readonly HonoGroup[],
  tools: ErrorTools,
  recorder: AnswerRecorder,
): readonly RouteGroup[] {
  const app = new OpenAPIHono<HttpEnv>();
  app.use(exchangeMiddleware(tools.config.baseUrl, recorder));
  for (const { routes } of groups) app.route("/", routes);
  app.notFound((c) => responseOf(answerError(tools, c.env.exchange, new Problem("not_found"))));
  app.onError((error, c) => responseOf(answerError(tools, c.env.exchange, error)));
  // The adapter passes on only the request.
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const listener = getRequestListener(
    (request, env) => {
      const incoming = env.incoming as IncomingMessage;
      return app.fetch(request, { incoming, exchange: exchanges.get(incoming) } as never);
    },
    // Only requests that the adapter cannot read get here, before any route.
    { errorHandler: () => new Response(null, { status: 400 }) },
  );
  const handle = async (exchange: Exchange): Promise<typeof SENT> => {
    exchanges.set(exchange.request, exchange);
    await listener(exchange.request, exchange.response);
    return SENT;
  };
  return groups.map(({ name, cors, renderError, routes }) => ({
    name,
    cors,
    routes: routes.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }): Route => ({ method, path, handle, renderError })),
  }));
}

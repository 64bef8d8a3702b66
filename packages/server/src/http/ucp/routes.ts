import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import type { Site } from "../../domain/sites/site.js";
import { readJsonBytes } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { answerPending } from "../server/pending.js";
import { Problem } from "../server/problem.js";
import { signedRequest } from "../server/signed-request.js";
import { problemAnswer, signAnswer, type UcpAnswer } from "./answer.js";
import { negotiateWith, profileUrlIn, proveCaller } from "./caller.js";
import { asUcp, renderUcpError, tooManyRequests, UcpProblem } from "./fault.js";
import type { Operation } from "./operation.js";
import { pageRoute } from "./page.js";
import { OPERATIONS, performOperation } from "./perform.js";
import type { PlatformProfiles } from "./platform-profiles.js";
import { termsRoute } from "./terms.js";

const BODY_BYTES_MAX = 128 * 1024;

type C = HonoContext<HttpEnv>;

/** All of `/v1/ucp/{site_key_hash}`: what platforms call, and the pages of their buyers. */
export function ucpDoors(context: Context, profiles: PlatformProfiles): readonly HonoGroup[] {
  const routes = new OpenAPIHono<HttpEnv>();
  termsRoute(routes, context);
  for (const operation of OPERATIONS) {
    for (const path of operation.paths) {
      const method = operation.method.toUpperCase();
      routes.on(method, `/v1/ucp/:site${path}`, (c) => handle(context, profiles, operation, c));
    }
  }
  const pages = new OpenAPIHono<HttpEnv>();
  pageRoute(pages, context);
  return [
    { name: "ucp", cors: "open", routes, renderError: renderUcpError },
    { name: "pages", cors: "none", routes: pages },
  ];
}

async function handle(
  context: Context,
  profiles: PlatformProfiles,
  operation: Operation,
  c: C,
): Promise<Response> {
  const waitMs = context.admission.takeCostly(c.get("caller"));
  if (waitMs > 0) {
    // Unsigned: a caller that has to wait costs no lookup and no signature.
    const { status, body, headers } = problemAnswer(tooManyRequests(waitMs));
    return c.json(body, status as 429, { ...headers, connection: "close" });
  }
  const site = await findSite(context.db, c.req.param("site") ?? "", "hash");
  if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
  if (site.status !== "verified" && !operation.whilePending) {
    return answerPending(c, context, site.domain);
  }
  // Read before anything is done: a site that is deleted meanwhile has no key to answer with.
  const signer = await context.siteKeys.signer(site.siteKeyHash);
  let answer: UcpAnswer;
  try {
    answer = await receive(context, profiles, operation, c, site);
  } catch (error) {
    answer = problemAnswer(asUcp(error));
  }
  const { status, headers, bytes } = await signAnswer(
    context,
    signer,
    answer,
    c.req.header("request-id"),
  );
  return c.body(bytes, status as 200, headers);
}

/** Reads a call, proves its caller, and has it carried out. */
async function receive(
  context: Context,
  profiles: PlatformProfiles,
  operation: Operation,
  c: C,
  site: Site,
): Promise<UcpAnswer> {
  const agent = c.req.header("ucp-agent");
  // A call without a profile is refused before its body is read.
  profileUrlIn(agent);
  const { incoming } = c.env;
  const client = c.get("caller");
  const bytes = await readJsonBytes(context, incoming, BODY_BYTES_MAX);
  const platform = await negotiateWith(context, profiles, agent, client);
  const { pathname, search } = new URL(c.req.url);
  const place = { target: pathname + search, baseUrl: context.config.baseUrl, body: bytes };
  const caller = await proveCaller(context, platform, signedRequest(incoming, place), client);
  return performOperation(context, operation, {
    site,
    caller,
    id: c.req.param("id") ?? "",
    body: objectIn(bytes),
    requestId: c.get("requestId"),
    client,
    idempotencyKey: c.req.header("idempotency-key"),
    path: c.req.path,
    bytes,
  });
}

/** The body of a call. An empty body is an empty object: each operation requires its own members. */
function objectIn(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const fault = parsed.ok ? "it is not an object" : parsed.detail;
  throw new UcpProblem("invalid_request", `The body is not strict JSON: ${fault}.`);
}

import type { IncomingMessage } from "node:http";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller } from "./admission/caller.js";
import type { Cors } from "./cors.js";
import type { Exchange, RenderError } from "./exchange.js";

/** Routes that Hono serves behind the pipeline: what people and administrators use. */
export interface HonoGroup {
  readonly name: string;
  readonly cors: Cors;
  readonly routes: OpenAPIHono<HttpEnv>;
  /** How its routes refuse; as a problem where it is left out. */
  readonly renderError?: RenderError;
}

/** What every handler finds in its Hono context. */
export interface HttpEnv {
  readonly Bindings: { readonly incoming: IncomingMessage; readonly exchange: Exchange };
  readonly Variables: {
    requestId: string;
    caller: Caller;
    /** The public address of this service. */
    baseUrl: string;
  };
}

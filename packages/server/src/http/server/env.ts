import type { IncomingMessage } from "node:http";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller } from "./admission/caller.js";
import type { Cors } from "./cors.js";

/** One protocol's routes, and who may call them from a page of another origin. */
export interface Door {
  readonly name: string;
  readonly cors: Cors;
  readonly routes: OpenAPIHono<HttpEnv>;
}

/** What every handler finds in its Hono context. */
export interface HttpEnv {
  readonly Bindings: { readonly incoming: IncomingMessage };
  readonly Variables: {
    requestId: string;
    caller: Caller;
    /** The public address of this service. */
    baseUrl: string;
    /** The door the path belongs to; absent for an unknown path. */
    door: Door | undefined;
  };
}

import { OpenAPIHono } from "@hono/zod-openapi";
import type { ZodError } from "zod";
import type { Context } from "../../context.js";
import { readJson } from "../../platform/http/body.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { type AdminEnv, signIn } from "./access.js";
import { agentRoutes } from "./agents.js";
import { auditRoutes } from "./audit.js";
import { decisionRoutes } from "./decisions.js";
import { documentRoutes } from "./documents.js";
import { edgeTokenRoutes } from "./edge-tokens.js";
import { escalationRoutes } from "./escalations.js";
import { keyRoutes } from "./keys.js";
import { mandateRoutes } from "./mandates.js";
import { messageRoutes } from "./messages.js";
import { notificationRoutes } from "./notifications.js";
import { orderChangeRoutes } from "./order-changes.js";
import { orderRoutes } from "./orders.js";
import { policyRoutes } from "./policy.js";
import { processorRoutes } from "./processor.js";
import { productImportRoute, productRoutes } from "./products.js";
import { shopRoutes } from "./shop.js";
import { siteRoutes } from "./sites.js";
import { skillRoutes } from "./skills.js";
import { tokenRoutes } from "./tokens.js";
import { visitRoutes } from "./visits.js";

const BODY_BYTES_MAX = 1024 * 1024;
const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** The first thing wrong, in words; names of fields the caller made up are not repeated. */
function describe(error: ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "The request is not as this route expects.";
  if (issue.code === "unrecognized_keys") return "The body has a field this route does not know.";
  const field = issue.path.length === 0 ? "the body" : issue.path.map(String).join(".");
  if (issue.code === "invalid_type" && issue.input === undefined) return `${field}: is missing.`;
  if (issue.code === "too_small" && issue.minimum === 1) return `${field}: must not be empty.`;
  return `${field}: ${issue.message}.`;
}

/** Owners, operators, reviewers and auditors: bearer tokens, strict JSON, no other origins. */
export function adminDoor(context: Context): Door {
  const routes = new OpenAPIHono<AdminEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw new Problem("not_found");
      throw new Problem("invalid_request", { message: describe(result.error as ZodError) });
    },
  });
  routes.use("/v1/admin/*", signIn(context));
  productImportRoute(routes, context);
  routes.use("/v1/admin/*", async (c, next) => {
    if (BODY_METHODS.has(c.req.method)) {
      const { text } = await readJson(c.req.raw, BODY_BYTES_MAX, context.clock);
      // Hono's validator reads the text that was counted and strictly parsed here.
      c.req.bodyCache.text = Promise.resolve(text) as never;
      c.req.raw.headers.set("content-type", "application/json");
    }
    await next();
  });
  siteRoutes(routes, context);
  skillRoutes(routes, context);
  documentRoutes(routes, context);
  policyRoutes(routes, context);
  auditRoutes(routes, context);
  visitRoutes(routes, context);
  agentRoutes(routes, context);
  mandateRoutes(routes, context);
  decisionRoutes(routes, context);
  shopRoutes(routes, context);
  escalationRoutes(routes, context);
  processorRoutes(routes, context);
  productRoutes(routes, context);
  orderRoutes(routes, context);
  orderChangeRoutes(routes, context);
  notificationRoutes(routes, context);
  messageRoutes(routes, context);
  tokenRoutes(routes, context);
  edgeTokenRoutes(routes, context);
  keyRoutes(routes, context);
  return { name: "admin", cors: "none", routes: routes as unknown as OpenAPIHono<HttpEnv> };
}

import { prefersMarkdown } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { hashesOf } from "../../domain/sites/find.js";
import { isBrowser } from "../server/browser.js";
import type { Door, HttpEnv } from "../server/env.js";
import { isFresh } from "../server/etag.js";
import { answerPending, pendingPage } from "../server/pending.js";
import { Problem } from "../server/problem.js";
import { agentPageByDomain } from "./by-domain.js";
import type { Document } from "./document.js";
import type { Editions } from "./editions.js";
import { installationRoutes } from "./installation.js";
import { DOCUMENTS, documentAt } from "./kinds.js";
import { describeDocuments } from "./openapi.js";

const RETRY_AFTER_S = "5";

/** `/v1/llms/{site_key_hash}.txt` → `/v1/llms/:site{.+\.txt}`; {@link documentAt} reads the rest. */
function routeOf(path: string): string {
  return path.replace(/\{site_key(?:_hash)?\}(\.\w+)?/, (_name, ending: string | undefined) =>
    ending === undefined ? ":site" : `:site{.+\\${ending}}`,
  );
}

function answerDocument(c: HonoContext<HttpEnv>, document: Document): Response {
  for (const [name, value] of Object.entries(document.headers)) c.header(name, value);
  if (isFresh(c.req.header("if-none-match"), document.etag)) {
    c.header("content-type", undefined);
    return c.body(null, 304);
  }
  c.header("content-length", String(document.bytes.length));
  return c.body(document.bytes as Uint8Array<ArrayBuffer>);
}

/** A document that cannot be built or signed now may be asked for again shortly. */
function unavailable(cause: unknown): Problem {
  return new Problem("unavailable", {
    cause,
    message: "This document cannot be made or signed now. Try again shortly.",
    headers: { "retry-after": RETRY_AFTER_S },
  });
}

async function answerSite(
  c: HonoContext<HttpEnv>,
  context: Context,
  editions: Editions,
): Promise<Response> {
  const named = documentAt(c.req.path);
  if (named === undefined) throw new Problem("not_found");
  const { markdown, type } = DOCUMENTS[named.name];
  const asked = markdown !== undefined && prefersMarkdown(c.req.header("accept"), type);
  for (const hash of await hashesOf(named.site, named.naming)) {
    const found = await editions.document(hash, asked ? markdown : named.name).catch((error) => {
      throw unavailable(error);
    });
    if (found.ok) return answerDocument(c, found.value);
    if (found.reason !== "pending_verification") continue;
    const person = named.name === "page" && isBrowser(c.req);
    return person ? pendingPage(found.detail) : answerPending(c, context, found.detail);
  }
  throw new Problem("not_found", { message: "No site has this key." });
}

/** What any agent may read without asking first. */
export function discoveryDoor(context: Context, editions: Editions): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  installationRoutes(routes, context);
  agentPageByDomain(routes, context);
  for (const { path, onRequest } of Object.values(DOCUMENTS)) {
    if (!onRequest) routes.get(routeOf(path), (c) => answerSite(c, context, editions));
  }
  describeDocuments(routes.openAPIRegistry);
  return { name: "discovery", cors: "open", routes };
}

import { prefersMarkdown } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hashesOf } from "../../domain/sites/find.js";
import { pendingAnswer, pendingPage } from "../server/errors.js";
import { isFresh } from "../server/etag.js";
import {
  type Answer,
  type Exchange,
  get,
  type Route,
  type RouteGroup,
} from "../server/exchange.js";
import { isBrowser } from "../server/html-page.js";
import { Problem } from "../server/problem.js";
import { agentPageByDomain } from "./agent-page-by-domain.js";
import type { Document } from "./document.js";
import type { DocumentCache } from "./document-cache.js";
import { DOCUMENTS, type DocumentName, namingOf } from "./document-kinds.js";
import { installationRoutes } from "./installation.js";

const RETRY_AFTER_S = "5";

/** A document that cannot be built or signed now may be requested again shortly. */
function unavailable(cause: unknown): Problem {
  return new Problem("unavailable", {
    cause,
    message: "This document cannot be made or signed now. Try again shortly.",
    headers: { "retry-after": RETRY_AFTER_S },
  });
}

function answerDocument({ request }: Exchange, { etag, unchanged, whole }: Document): Answer {
  return isFresh(request.headers["if-none-match"], etag) ? unchanged : whole;
}

/** The kind to serve: some have a second form for clients that prefer Markdown. */
function kindFor(name: DocumentName, { request }: Exchange): DocumentName {
  const { markdown, type } = DOCUMENTS[name];
  const isPreferred = markdown !== undefined && prefersMarkdown(request.headers.accept, type);
  return isPreferred ? markdown : name;
}

/** The documents of every site that anybody may read, each at its path. */
function documentRoutes({ config }: Context, cache: DocumentCache): Route[] {
  async function make(exchange: Exchange, name: DocumentName): Promise<Answer> {
    for (const hash of await hashesOf(exchange.param("site"), namingOf(DOCUMENTS[name]))) {
      const document = await cache.document(hash, kindFor(name, exchange)).catch((error) => {
        throw unavailable(error);
      });
      if (document.ok) return answerDocument(exchange, document.value);
      if (document.reason !== "pending_verification") continue;
      const isPerson = name === "page" && isBrowser(exchange.header("accept"));
      const { detail: domain } = document;
      return isPerson ? pendingPage(domain) : pendingAnswer(config.baseUrl, domain);
    }
    throw new Problem("not_found", { message: "No site has this key." });
  }

  return Object.entries(DOCUMENTS).flatMap(([key, { path, onRequest }]) => {
    if (onRequest) return [];
    const name = key as DocumentName;
    const handle = (exchange: Exchange) => {
      const ready = cache.ready(exchange.path);
      if (ready === undefined || kindFor(name, exchange) !== name) return make(exchange, name);
      return answerDocument(exchange, ready);
    };
    return [get(path.replace(/\{site_key(?:_hash)?\}/, ":site"), handle)];
  });
}

/** What any agent may read without asking first. */
export function discoveryGroup(context: Context, cache: DocumentCache): RouteGroup {
  const routes = [
    ...installationRoutes(context),
    agentPageByDomain(context),
    ...documentRoutes(context, cache),
  ];
  return { name: "discovery", cors: "open", quiet: "successes", routes };
}

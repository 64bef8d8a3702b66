import { prefersMarkdown, siteAddresses } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { findSiteByDomain } from "../../domain/sites/domain.js";
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
import { NO_SITE, Problem, requireFound } from "../server/problem.js";
import type { DocumentCache } from "./document-cache.js";
import { DOCUMENTS, type Document, type DocumentName } from "./document-kinds.js";
import { installationRoutes } from "./installation.js";

const RETRY_AFTER_S = "5";

/** A document that cannot be built or signed now may be requested again shortly. */
function unavailable(cause: unknown): Problem {
  return new Problem("unavailable", {
    cause,
    message: "This document cannot be created or signed now. Try again shortly.",
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

/** The answer for a site whose domain is not verified; people who open its agent page get a page. */
function answerPending(
  { config }: Context,
  exchange: Exchange,
  domain: string,
  name: DocumentName,
): Answer {
  const isPerson = name === "page" && isBrowser(exchange.header("accept"));
  return isPerson ? pendingPage(domain) : pendingAnswer(config.baseUrl, domain);
}

/** The documents of every site that anybody may read, each at its path. */
function documentRoutes(context: Context, cache: DocumentCache): Route[] {
  async function make(exchange: Exchange, name: DocumentName): Promise<Answer> {
    const document = await cache
      .find(exchange.param("site"), kindFor(name, exchange))
      .catch((error) => {
        throw unavailable(error);
      });
    if (document.ok) return answerDocument(exchange, document.value);
    if (document.reason === "not_found") throw new Problem("not_found", { message: NO_SITE });
    return answerPending(context, exchange, document.detail, name);
  }

  return Object.entries(DOCUMENTS).flatMap(([key, { path, onRequest }]) => {
    if (onRequest) return [];
    const name = key as DocumentName;
    const handle = (exchange: Exchange) => {
      const ready = cache.ready(exchange.param("site"), kindFor(name, exchange));
      return ready === undefined ? make(exchange, name) : answerDocument(exchange, ready);
    };
    return [get(path.replace(/\{site_key(?:_hash)?\}/, ":site"), handle)];
  });
}

/** From a domain to the agent page of the site that has proven it. */
function agentPageByDomain(context: Context): Route {
  const { config, db } = context;
  const development = config.mode === "development";
  return get("/v1/agent/domain/:domain", async (exchange) => {
    const named = await findSiteByDomain(db, exchange.param("domain"), { development });
    const site = requireFound(named, "There is no site with this domain.");
    if (site.status !== "verified") return answerPending(context, exchange, site.domain, "page");
    return { status: 302, headers: { location: siteAddresses(config.baseUrl, site).agentPage } };
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

import type { SignedRequest } from "@gatehouse/protocol";
import { Edge } from "../edge.js";
import { type EdgeOptions, readSettings } from "../settings.js";
import { workersRuntime } from "./workers-runtime.js";

/** Variables and secrets of the Worker. */
export interface GatehouseEnv {
  readonly GATEHOUSE_URL?: string;
  readonly GATEHOUSE_SITE_KEY_HASH?: string;
  readonly GATEHOUSE_EDGE_TOKEN?: string;
  /** Paths left to the site, separated by commas. */
  readonly GATEHOUSE_EXCEPT?: string;
  /** `all` or `agents`. */
  readonly GATEHOUSE_VISITS?: string;
}

export interface WorkerContext {
  waitUntil(work: Promise<unknown>): void;
  passThroughOnException?(): void;
}

/** A Worker, or the part of one that answers. */
export interface WorkerSite<Env> {
  fetch(request: Request, env: Env, context: WorkerContext): Response | Promise<Response>;
}

/** What stands behind the route: the site itself. */
const ORIGIN: WorkerSite<unknown> = { fetch: (request) => fetch(request) };

function optionsOf(env: GatehouseEnv): EdgeOptions {
  const { GATEHOUSE_VISITS: visits = "all" } = env;
  return {
    gatehouse: env.GATEHOUSE_URL ?? "",
    siteKeyHash: env.GATEHOUSE_SITE_KEY_HASH ?? "",
    edgeToken: env.GATEHOUSE_EDGE_TOKEN,
    except: env.GATEHOUSE_EXCEPT,
    visits: visits as "all" | "agents",
  };
}

/** Undefined for settings that cannot hold: the site goes on as if nothing stood before it. */
function createEdge(env: GatehouseEnv): Edge | undefined {
  const runtime = workersRuntime();
  const settings = readSettings(optionsOf(env));
  if (settings.ok) return new Edge(settings.value, runtime);
  runtime.warn(`not active: ${settings.detail}`);
  return undefined;
}

function readRequest(request: Request): SignedRequest {
  const fields: { name: string; value: string }[] = [];
  request.headers.forEach((value, name) => {
    fields.push({ name, value });
  });
  return { method: request.method, url: request.url, fields };
}

/** What Gatehouse does around a site's own answer; nothing of it may break, or hide, that answer. */
async function standBefore(
  edge: Edge,
  request: Request,
  context: WorkerContext,
  site: () => Response | Promise<Response>,
): Promise<Response> {
  const incoming = readRequest(request);
  const own = await edge.answer(incoming, (work) => context.waitUntil(work));
  const response = own ?? (await site());
  const contentType = response.headers.get("content-type") ?? "";
  const answered = { status: response.status, contentType, ours: own !== undefined };
  context.waitUntil(edge.observe(incoming, answered));
  return response;
}

/**
 * A Worker that stands before a site: `export default withGatehouse()` before an origin, or around a
 * Worker that is the site. What that Worker throws stays its own: it may be what keeps people out.
 */
export function withGatehouse<Env extends GatehouseEnv>(
  site: WorkerSite<Env> = ORIGIN,
): WorkerSite<Env> {
  // One for the life of the isolate: its variables do not change.
  let edge: { readonly active: Edge | undefined } | undefined;
  return {
    async fetch(request, env, context) {
      // Before an origin the platform asks that itself, should anything here break after all.
      if ((site as WorkerSite<unknown>) === ORIGIN) context.passThroughOnException?.();
      edge ??= { active: createEdge(env) };
      const answer = () => site.fetch(request, env, context);
      return edge.active === undefined
        ? answer()
        : standBefore(edge.active, request, context, answer);
    },
  };
}

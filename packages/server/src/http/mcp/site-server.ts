import {
  type JsonObject,
  MCP_REVISIONS,
  mcpInstructions,
  mcpServerInfo,
  type SiteSnapshot,
} from "@gatehouse/protocol";
import type { Tool } from "../../actions/mcp/tools.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { MINUTE_MS } from "../../infra/time.js";
import type { Revision } from "./revision.js";

/** Tools of one `tools/list` answer. Many clients read the first page only: it holds most sites. */
const PAGE_TOOLS_MAX = 50;
/** How long a client may use an answer of the stateless revision before it asks again. */
const TTL_MS = MINUTE_MS;
const CACHEABLE: JsonObject = { ttlMs: TTL_MS, cacheScope: "public" };
/** `listChanged` is left out: nothing is pushed. */
const CAPABILITIES: JsonObject = { tools: {} };

type Texts = Readonly<Record<Revision, string>>;

/** Everything a site's server says of itself, made once for each version of the site. */
export interface SiteServer {
  readonly siteKeyHash: string;
  readonly site: Site;
  readonly initialize: string;
  readonly discover: string;
  /** `tools/list` results by cursor; the first by the empty one. */
  readonly pages: ReadonlyMap<string, Texts>;
  readonly tools: ReadonlyMap<string, Tool>;
  /** A tool's result, as a revision has it. */
  result(revision: Revision, members: string): string;
}

/** Names a page of one version of a list: after a change, a client must begin again. */
function cursorOf({ version }: SiteSnapshot, page: number): string {
  return page === 0 ? "" : `${version}-${page * PAGE_TOOLS_MAX}`;
}

function pagesOf(
  site: SiteSnapshot,
  tools: readonly Tool[],
  wrap: SiteServer["result"],
): ReadonlyMap<string, Texts> {
  const count = Math.max(1, Math.ceil(tools.length / PAGE_TOOLS_MAX));
  const pages = Array.from({ length: count }, (_, page) => {
    const first = page * PAGE_TOOLS_MAX;
    const definitions = tools.slice(first, first + PAGE_TOOLS_MAX).map((tool) => tool.definition);
    const next = page + 1 < count ? { nextCursor: cursorOf(site, page + 1) } : {};
    const list = { tools: definitions, ...next };
    const texts: Texts = {
      declared: wrap("declared", membersOf(list)),
      stateless: wrap("stateless", membersOf({ ...list, ...CACHEABLE })),
    };
    return [cursorOf(site, page), texts] as const;
  });
  return new Map(pages);
}

function membersOf(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1);
}

/** The tools a site's server lists, and those it answers; it answers more while sales are paused. */
interface SiteTools {
  readonly listed: readonly Tool[];
  readonly callable: readonly Tool[];
}

export function siteServer(
  { site, snapshot }: LiveSite,
  { listed, callable }: SiteTools,
): SiteServer {
  const serverInfo = mcpServerInfo(snapshot);
  const instructions = mcpInstructions(snapshot);
  const meta = membersOf({ _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } });
  const result = (revision: Revision, members: string) =>
    revision === "declared" ? `{${members}}` : `{"resultType":"complete",${members},${meta}}`;
  const capabilities = CAPABILITIES;
  return Object.freeze({
    site,
    siteKeyHash: site.siteKeyHash,
    initialize: JSON.stringify({
      protocolVersion: MCP_REVISIONS[0],
      capabilities,
      serverInfo,
      instructions,
    }),
    discover: result(
      "stateless",
      membersOf({ supportedVersions: MCP_REVISIONS, capabilities, instructions, ...CACHEABLE }),
    ),
    pages: pagesOf(snapshot, listed, result),
    tools: new Map(callable.map((tool) => [tool.definition.name as string, tool])),
    result,
  });
}

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

/** Tools of one `tools/list` page. Many clients read only the first page, which is enough for most sites. */
const PAGE_TOOLS_MAX = 50;
/** How long a client may use an answer of the stateless revision before it asks again. */
const TTL_MS = MINUTE_MS;
const CACHEABLE: JsonObject = { ttlMs: TTL_MS, cacheScope: "public" };
/** Without `listChanged`, because the server sends no notifications. */
const CAPABILITIES: JsonObject = { tools: {} };

type Texts = Readonly<Record<Revision, string>>;

/** The MCP server of one version of a site, with its answers as text. */
export interface SiteServer {
  readonly siteKeyHash: string;
  readonly site: Site;
  readonly initialize: string;
  readonly discover: string;
  /** `tools/list` results by cursor. The cursor of the first page is empty. */
  readonly pages: ReadonlyMap<string, Texts>;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The result of a tool, in the form of a revision. */
  result(revision: Revision, members: string): string;
}

/** The cursor of a page. It contains the site's version, so a client must begin again after a change. */
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

/** The tools that a server lists and those that it answers, which are more while sales are paused. */
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
  return Object.freeze({
    site,
    siteKeyHash: site.siteKeyHash,
    initialize: JSON.stringify({
      protocolVersion: MCP_REVISIONS[0],
      capabilities: CAPABILITIES,
      serverInfo,
      instructions,
    }),
    discover: result(
      "stateless",
      membersOf({
        supportedVersions: MCP_REVISIONS,
        capabilities: CAPABILITIES,
        instructions,
        ...CACHEABLE,
      }),
    ),
    pages: pagesOf(snapshot, listed, result),
    tools: new Map(callable.map((tool) => [tool.definition.name as string, tool])),
    result,
  });
}

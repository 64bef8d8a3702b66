import {
  acpDocument,
  agentMarkdown,
  agentPage,
  agentPagePolicy,
  agentsMd,
  canonicalize,
  didDocument,
  type JsonObject,
  linkHeader,
  llmsTxt,
  mcpServerCard,
  type OfferedProduct,
  type PublishedAnswer,
  robotsBlock,
  SITE_PATHS,
  type SignedCard,
  type SignedCatalog,
  type SiteSnapshot,
  type UcpKey,
  type UcpVersion,
  ucpProfile,
} from "@gatehouse/protocol";
import { handlersOf } from "../../domain/sites/gates.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import type { ListedKey } from "../../infra/keys/key-ring.js";
import { etagOf } from "../server/etag.js";
import type { Answer } from "../server/exchange.js";

const JSON_TYPE = "application/json; charset=utf-8";
const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const CACHE_MINUTE = "public, max-age=60";
const CACHE_NEVER = "no-store";
const POLICY = await agentPagePolicy();

/** A site with its signatures and keys, each made or read when a document first needs it. */
export interface DocumentSource extends LiveSite {
  card(): Promise<SignedCard>;
  catalog(): Promise<SignedCatalog>;
  /** The key set, which only the did document needs. */
  keys(): Promise<readonly ListedKey[]>;
  /** Some of what it sells; empty if it sells nothing now. */
  products(): Promise<readonly OfferedProduct[]>;
  /** Questions of agents with the owner's answers. */
  answers(): Promise<readonly PublishedAnswer[]>;
  /** The site's own keys, which only the profile for platforms needs. */
  siteKeys(): Promise<readonly UcpKey[]>;
}

/** A document as it goes over the wire. */
export interface Document {
  readonly bytes: Buffer;
  readonly etag: string;
  /** The answer with all of it. */
  readonly whole: Answer;
  /** The answer to a client that has these bytes already. */
  readonly unchanged: Answer;
}

/** One kind of document: where it stands, what it says it is, how it is made. */
export interface DocumentKind {
  /** One of the site's paths. */
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  readonly cache: string;
  readonly headers?: (site: SiteSnapshot) => Readonly<Record<string, string>>;
  /** The kind served at the same path to clients that ask for Markdown. */
  readonly markdown?: DocumentName;
  /** Served only on request, at the path of another kind. */
  readonly onRequest?: true;
  make(source: DocumentSource): string | Promise<string>;
}

export type DocumentName =
  | ("card" | "a2a" | "catalog" | "ard" | "llms" | "llms-markdown" | "page" | "page-markdown")
  | ("did" | "acp" | "mcp-server-card" | "robots" | "agents-md")
  | ("ucp-profile" | "ucp-profile-august" | "ucp-profile-april");

const plain = (document: JsonObject) => `${JSON.stringify(document, null, 2)}\n`;
const VARIES = { vary: "Accept" };

/** What else the agent page shows. */
const extrasOf = async ({ products, answers }: DocumentSource) => ({
  products: await products(),
  answers: await answers(),
});

/** A shop's profile in one version of UCP. */
async function profileIn(
  { site, snapshot, siteKeys }: DocumentSource,
  version: UcpVersion,
  others?: Readonly<Partial<Record<UcpVersion, string>>>,
): Promise<string> {
  const keys = await siteKeys();
  const content = { handlers: handlersOf(site), keys, version, ...(others && { others }) };
  return plain(ucpProfile(snapshot, content));
}

/** The profile at the root of the domain, in the version its owner chose. It names those of the others. */
function profileAtRoot(source: DocumentSource): Promise<string> {
  const { ucpVersion } = source.site;
  const { ucpProfileAugust, ucpProfileApril } = source.snapshot.addresses;
  const all = { "2026-08-25": ucpProfileAugust, "2026-04-08": ucpProfileApril };
  const { [ucpVersion]: _, ...others } = all;
  return profileIn(source, ucpVersion, others);
}

/** Every document of a site (card and catalog as JCS text, so that a shell can verify them). */
export const DOCUMENTS: Readonly<Record<DocumentName, DocumentKind>> = {
  card: {
    path: SITE_PATHS.card,
    summary: "Signed agent card",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: async (source) => (await source.card()).card,
  },
  a2a: {
    path: SITE_PATHS.a2aCard,
    summary: "The card with only the members of A2A, with the same A2A signature",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: async (source) => canonicalize((await source.card()).a2a),
  },
  catalog: {
    path: SITE_PATHS.catalog,
    summary: "Signed ARD catalog",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: async (source) => canonicalize((await source.catalog()).catalog),
  },
  ard: {
    path: SITE_PATHS.ard,
    summary: "The catalog for readers that do not accept a trust manifest at its root",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: async (source) => canonicalize((await source.catalog()).ard),
  },
  llms: {
    path: SITE_PATHS.llms,
    summary: "llms.txt; Markdown on request",
    type: "text/plain; charset=utf-8",
    cache: CACHE_MINUTE,
    headers: () => VARIES,
    markdown: "llms-markdown",
    make: async ({ snapshot, answers }) => llmsTxt(snapshot, await answers()),
  },
  "llms-markdown": {
    path: SITE_PATHS.llms,
    summary: "llms.txt",
    onRequest: true,
    type: MARKDOWN_TYPE,
    cache: CACHE_MINUTE,
    headers: () => VARIES,
    make: async ({ snapshot, answers }) => llmsTxt(snapshot, await answers()),
  },
  page: {
    path: SITE_PATHS.agentPage,
    summary: "Agent page; Markdown on request",
    type: "text/html; charset=utf-8",
    cache: CACHE_MINUTE,
    headers: (site) => ({
      ...VARIES,
      link: linkHeader(site),
      "content-security-policy": POLICY,
      "referrer-policy": "no-referrer",
    }),
    markdown: "page-markdown",
    make: async (source) =>
      agentPage(source.snapshot, (await source.card()).card, await extrasOf(source)),
  },
  "page-markdown": {
    path: SITE_PATHS.agentPage,
    summary: "Agent page as Markdown",
    onRequest: true,
    type: MARKDOWN_TYPE,
    cache: CACHE_MINUTE,
    headers: (site) => ({ ...VARIES, link: linkHeader(site) }),
    make: async (source) => agentMarkdown(source.snapshot, await extrasOf(source)),
  },
  "agents-md": {
    path: SITE_PATHS.agentsMd,
    summary: "agents.md: what an agent should know before it acts",
    type: MARKDOWN_TYPE,
    cache: CACHE_MINUTE,
    make: async ({ snapshot, products }) => agentsMd(snapshot, await products()),
  },
  did: {
    path: SITE_PATHS.did,
    summary: "did:web document for the site to serve",
    type: "application/did+json; charset=utf-8",
    cache: CACHE_NEVER,
    make: async ({ snapshot, keys }) => plain(didDocument(snapshot, await keys())),
  },
  acp: {
    path: SITE_PATHS.acp,
    summary: "ACP discovery document: known, not enabled",
    type: JSON_TYPE,
    cache: CACHE_NEVER,
    make: ({ snapshot }) => plain(acpDocument(snapshot)),
  },
  "mcp-server-card": {
    path: SITE_PATHS.mcpServerCard,
    summary: "MCP server card",
    type: "application/mcp-server-card+json; charset=utf-8",
    cache: CACHE_NEVER,
    make: ({ snapshot }) => plain(mcpServerCard(snapshot)),
  },
  "ucp-profile": {
    path: SITE_PATHS.ucpProfile,
    summary: "UCP business profile",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: (source) => profileAtRoot(source),
  },
  "ucp-profile-august": {
    path: SITE_PATHS.ucpProfileAugust,
    summary: "UCP business profile, version 2026-08-25",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: (source) => profileIn(source, "2026-08-25"),
  },
  "ucp-profile-april": {
    path: SITE_PATHS.ucpProfileApril,
    summary: "UCP business profile, version 2026-04-08",
    type: JSON_TYPE,
    cache: CACHE_MINUTE,
    make: (source) => profileIn(source, "2026-04-08"),
  },
  robots: {
    path: SITE_PATHS.robots,
    summary: "Lines to add to robots.txt",
    type: "text/plain; charset=utf-8",
    cache: CACHE_NEVER,
    make: ({ snapshot }) => robotsBlock(snapshot),
  },
};

/** Whether the path of a kind takes a site key as well as its hash. */
export function takesKey({ path }: DocumentKind): boolean {
  return path.includes("{site_key}");
}

export async function makeDocument(kind: DocumentKind, source: DocumentSource): Promise<Document> {
  const bytes = Buffer.from(await kind.make(source), "utf8");
  const etag = etagOf(bytes, kind.type);
  const headers = { "cache-control": kind.cache, etag, ...kind.headers?.(source.snapshot) };
  const length = String(bytes.length);
  const whole = { ...headers, "content-type": kind.type, "content-length": length };
  return Object.freeze({
    bytes,
    etag,
    whole: { status: 200, body: bytes, headers: whole, isReused: true },
    unchanged: { status: 304, headers, isReused: true },
  });
}

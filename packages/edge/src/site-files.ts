import { OWN_DOMAIN_PATHS, SITE_PATHS } from "@gatehouse/protocol";
import { cardExpiry, catalogExpiry, pageExpiry, withoutCard } from "./expiry.js";

/** A document of Gatehouse that stands on the site's own domain too. */
export interface SiteFile {
  /** Where Gatehouse has it. */
  readonly source: string;
  /** Media type; a document that is text is Markdown to whoever asks for that. */
  readonly type: string;
  /** Whether a text is such a document: whatever stands in Gatehouse's place must not speak for the site. */
  holds(text: string): boolean;
  /** Whether it says that it is not to stand there now: the site answers instead. */
  withheld?(text: string): boolean;
  /** When its signature expires, in milliseconds; absent if nothing in it expires. */
  expiry?(text: string): number;
  /** What may be served after that; absent where nothing may. */
  afterExpiry?(text: string): string;
}

/** A JSON object with a member that only this document has. */
function jsonWith(member: string): (text: string) => boolean {
  return (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "object" && value !== null && Object.hasOwn(value, member);
    } catch {
      return false;
    }
  };
}

const isMarkdown = (text: string) => text.startsWith("# ");
const isAgentPage = (text: string) =>
  /^<!doctype html>/i.test(text) && text.includes("application/ld+json");

const JSON_TYPE = "application/json";

/** A shop that offers nothing has a profile at Gatehouse, and none on its own domain. */
function offersNothing(text: string): boolean {
  const { ucp } = JSON.parse(text) as { ucp?: { capabilities?: object } };
  return Object.keys(ucp?.capabilities ?? {}).length === 0;
}

type OwnDomainDocument = (typeof OWN_DOMAIN_PATHS)[keyof typeof OWN_DOMAIN_PATHS];

/** What each document is, and how it is told from anything else. */
const KINDS: Readonly<Record<OwnDomainDocument, Omit<SiteFile, "source">>> = {
  llms: { type: "text/plain", holds: isMarkdown },
  agentsMd: { type: "text/markdown", holds: isMarkdown },
  agentPage: {
    type: "text/html",
    holds: isAgentPage,
    expiry: pageExpiry,
    afterExpiry: withoutCard,
  },
  card: { type: JSON_TYPE, holds: jsonWith("signing"), expiry: cardExpiry },
  catalog: { type: JSON_TYPE, holds: jsonWith("entries"), expiry: catalogExpiry },
  ard: { type: JSON_TYPE, holds: jsonWith("entries"), expiry: catalogExpiry },
  did: { type: "application/did+json", holds: jsonWith("verificationMethod") },
  acp: { type: JSON_TYPE, holds: jsonWith("protocol") },
  ucpProfile: { type: JSON_TYPE, holds: jsonWith("ucp"), withheld: offersNothing },
};

const SITE_FILES: ReadonlyMap<string, SiteFile> = new Map(
  Object.entries(OWN_DOMAIN_PATHS).map(([path, name]) => [
    path,
    { source: SITE_PATHS[name], ...KINDS[name] },
  ]),
);

/** The document a path of the site names, if it is one of Gatehouse's. */
export function siteFileAt(path: string): SiteFile | undefined {
  return SITE_FILES.get(path);
}

/** In the form somebody asked for: as it is, or as Markdown. */
export interface AskedFile extends Omit<SiteFile, "source" | "type"> {
  readonly address: string;
  readonly accept: string;
}

const MARKDOWN_TYPE = "text/markdown";

export function askedFile(
  { source, type, ...file }: SiteFile,
  { gatehouse, siteKeyHash }: { readonly gatehouse: string; readonly siteKeyHash: string },
  markdown: boolean,
): AskedFile {
  const address = gatehouse + source.replace(/\{site_key(?:_hash)?\}/, siteKeyHash);
  return markdown
    ? { address, accept: MARKDOWN_TYPE, holds: isMarkdown }
    : { address, accept: type, ...file };
}

import { ok, type Result, refuse, SITE_VERIFICATION } from "@gatehouse/protocol";
import type { FetchOptions, FetchResult, Resolver, SafeFetch } from "@gatehouse/safe-fetch";
import { headMetaContents } from "./head-metas.js";
import type { Site, VerificationMethod } from "./site.js";

export type ProofMethod = Exclude<VerificationMethod, "operator">;
type Proof = Result<true, "not_found">;

export interface ProofSources {
  readonly resolver: Resolver;
  readonly safeFetch: SafeFetch;
  /** Hosts that are read over plain HTTP; development only. */
  readonly fetchAllow: readonly string[];
}

const decoder = new TextDecoder();

/** Whether the fetch allow-list names a domain. An entry without a port means every port. */
export function isFetchAllowed(domain: string, allow: readonly string[]): boolean {
  return allow.includes(domain) || allow.includes(domain.replace(/:\d+$/, ""));
}

/** The origin of a site: plain HTTP only for hosts in the fetch allow-list. */
export function siteOrigin(domain: string, allow: readonly string[]): string {
  return `${isFetchAllowed(domain, allow) ? "http" : "https"}://${domain}`;
}

/** What an owner has to publish for each method. */
export function proofInstructions(site: Site, fetchAllow: readonly string[]) {
  const { domain, verification } = site;
  const { dnsLabel, name, filePath } = SITE_VERIFICATION;
  const { token } = verification;
  const at = siteOrigin(domain, fetchAllow);
  return {
    dns: {
      name: `${dnsLabel}.${domain.replace(/:\d+$/, "")}`,
      type: "TXT",
      value: `${name}=${token}`,
    },
    file: { url: at + filePath, content: token },
    meta: { url: `${at}/`, tag: `<meta name="${name}" content="${token}">` },
  };
}

/** The page's text, or a sentence that says why it could not be read. */
function pageText(result: FetchResult, url: string): Result<string, "not_found"> {
  if (!result.ok) return refuse("not_found", `${url} could not be read: ${result.detail}.`);
  if (result.value.status !== 200) {
    return refuse("not_found", `${url} returned status ${result.value.status} instead of 200.`);
  }
  return ok(decoder.decode(result.value.body));
}

async function findByDns(site: Site, { resolver, fetchAllow }: ProofSources): Promise<Proof> {
  const { name, value } = proofInstructions(site, fetchAllow).dns;
  const records = await resolver.txt(name).catch(() => undefined);
  if (records === undefined) {
    return refuse("not_found", `The name servers of ${site.domain} did not answer.`);
  }
  if (records.some((record) => record.trim() === value)) return ok(true);
  const seen = records.length === 0 ? "has no TXT record" : "has different TXT records";
  return refuse("not_found", `${name} ${seen}. Its value must be ${value}.`);
}

async function findByFile(site: Site, sources: ProofSources, how: FetchOptions): Promise<Proof> {
  const { url } = proofInstructions(site, sources.fetchAllow).file;
  const text = pageText(await sources.safeFetch.get(url, how), url);
  if (!text.ok) return text;
  if (text.value.trim() === site.verification.token) return ok(true);
  return refuse("not_found", `${url} has different content. It must contain only the token.`);
}

async function findByMeta(site: Site, sources: ProofSources, how: FetchOptions): Promise<Proof> {
  const { url } = proofInstructions(site, sources.fetchAllow).meta;
  const text = pageText(await sources.safeFetch.get(url, how), url);
  if (!text.ok) return text;
  const contents = headMetaContents(text.value, SITE_VERIFICATION.name);
  if (contents.includes(site.verification.token)) return ok(true);
  return refuse(
    "not_found",
    `The head of ${url} has ${contents.length === 0 ? "no" : "another"} ` +
      `${SITE_VERIFICATION.name} meta tag.`,
  );
}

/** Looks for the proof of a domain by one method. */
export function findProof(
  site: Site,
  method: ProofMethod,
  sources: ProofSources,
  how: FetchOptions,
): Promise<Proof> {
  switch (method) {
    case "dns":
      return findByDns(site, sources);
    case "file":
      return findByFile(site, sources, how);
    case "meta":
      return findByMeta(site, sources, how);
  }
}

import { cardInPage, OWN_DOMAIN_PATHS } from "@gatehouse/protocol";
import type { FetchResult } from "@gatehouse/safe-fetch";
import type { Context } from "../../context.js";
import type { InstallFinding } from "../../domain/install-checks/store.js";
import { siteOrigin } from "../../domain/sites/proof.js";
import type { Site } from "../../domain/sites/site.js";
import { checkUserAgent } from "../../domain/visits/own-check.js";
import { offerOf } from "../sites/offer.js";
import { fetchHint } from "../sites/verify-site.js";

export const FINDING_STATES = [
  "good",
  "missing",
  "unchecked",
  "wrong",
] as const satisfies readonly InstallFinding["state"][];

/** The safe client allows no more requests to one host at a time; others would wait in its queue. */
const FETCHES_AT_ONCE = 2;
/** Longer than any document of Gatehouse. */
const DOCUMENT_BYTES_MAX = 1024 * 1024;

type Path = keyof typeof OWN_DOMAIN_PATHS;
type Answer = Extract<FetchResult, { ok: true }>["value"];
type Fault = Extract<FetchResult, { ok: false }>;

/** Needed on the domain only while agents can buy. */
const PROFILE: Path = "/.well-known/ucp";

const OWN_DOCUMENT =
  "To keep your own document, add the path to `except`. Otherwise a worker or plugin replaces it.";

const OWN_DID =
  "To keep your own document, add Gatehouse's verification method and its id to `assertionMethod` " +
  "(the console shows them in the DID document under What agents see), and add the path to `except`.";

/**
 * Every address in a document of Gatehouse contains the site's key or its hash. So does the script on an
 * ordinary page of the site, and many sites answer any path with a page, so HTML does not count.
 */
function isFromGatehouse(path: Path, { body, contentType }: Answer, site: Site): boolean {
  const text = new TextDecoder().decode(body);
  const named = text.includes(site.siteKey) || text.includes(site.siteKeyHash);
  const ours = path === "/agent" ? cardInPage(body) !== undefined : !/html/i.test(contentType);
  return named && ours;
}

function judgeAnswer(path: Path, answer: Answer, site: Site, guide: string): InstallFinding {
  const { status } = answer;
  if (status !== 200) {
    const observation = `not served (status ${status})`;
    const advice = `Serve the documents with a worker, the Node plugin or a proxy rule: ${guide}`;
    return { item: path, state: "missing", found: observation, advice };
  }
  if (isFromGatehouse(path, answer, site))
    return { item: path, state: "good", found: "from Gatehouse" };
  const observation = "a different document, not from Gatehouse";
  const advice = path === "/.well-known/did.json" ? OWN_DID : OWN_DOCUMENT;
  return { item: path, state: "wrong", found: observation, advice };
}

const CERTIFICATE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** Explains why a site did not answer, and what its owner can do about it. */
function explainNoAnswer(context: Context, site: Site, { reason, detail }: Fault) {
  if (reason === "too_busy") {
    return { found: `could not be checked: ${detail}`, advice: "Try again in a moment." };
  }
  const down = CERTIFICATE.test(detail)
    ? "Agents refuse a site whose certificate they cannot verify."
    : "Check that the site is up. The other paths are checked when it answers.";
  const hint = fetchHint(context, site);
  return { found: `cannot be read: ${detail}`, advice: hint === "" ? down : hint };
}

/** The finding for an answer that is not a document; undefined if the site did not answer. */
function judgeFault(path: Path, { reason }: Fault, guide: string): InstallFinding | undefined {
  const wrong = (observation: string, advice: string): InstallFinding => {
    return { item: path, state: "wrong", found: observation, advice };
  };
  switch (reason) {
    case "redirected":
      return wrong(
        "redirects to another address; agents may not follow redirects",
        `Serve it at its own path: ${guide}`,
      );
    case "encoded":
      return wrong(
        "sent compressed, although the request did not allow it",
        "Keep the headers of Gatehouse's answer.",
      );
    case "too_large":
      return wrong("a different document of more than 1 MB, not from Gatehouse", OWN_DOCUMENT);
    default:
      return undefined;
  }
}

interface CheckedPath {
  readonly finding: InstallFinding;
  /** Whether the site answered. */
  readonly reached: boolean;
}

async function checkPath(context: Context, site: Site, path: Path): Promise<CheckedPath> {
  const { clock, config, safeFetch } = context;
  const guide = `${config.baseUrl}/docs/guide/install.md`;
  const url = siteOrigin(site.domain, config.fetchAllow) + path;
  // The owner may just have published it, so a cached answer is of no use.
  const userAgent = checkUserAgent(context, site.siteKeyHash, clock.now());
  const options = { fresh: true, bodyBytesMax: DOCUMENT_BYTES_MAX, userAgent };
  const answer = await safeFetch.get(url, options);
  if (answer.ok) return { finding: judgeAnswer(path, answer.value, site, guide), reached: true };
  const judged = judgeFault(path, answer, guide);
  if (judged !== undefined) return { finding: judged, reached: true };
  const finding: InstallFinding = {
    item: path,
    state: "wrong",
    ...explainNoAnswer(context, site, answer),
  };
  return { finding, reached: false };
}

/**
 * Checks each document at its path on the site's own domain. It stops at the first path where the site does
 * not answer, because the caller would wait just as long for each of the others.
 */
export async function checkDocuments(context: Context, site: Site): Promise<InstallFinding[]> {
  const all = Object.keys(OWN_DOMAIN_PATHS) as Path[];
  const { buying } = await offerOf(context.db, context.policies, site);
  const paths = all.filter((path) => path !== PROFILE || buying.length > 0);
  const findings: InstallFinding[] = [];
  for (let next = 0; next < paths.length; next += FETCHES_AT_ONCE) {
    const batch = paths.slice(next, next + FETCHES_AT_ONCE);
    const checked = await Promise.all(batch.map((path) => checkPath(context, site, path)));
    for (const { finding, reached } of checked) {
      findings.push(finding);
      if (!reached) return findings;
    }
  }
  return findings;
}

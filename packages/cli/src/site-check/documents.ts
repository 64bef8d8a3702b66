import { OWN_DOMAIN_PATHS, siteAddresses } from "@gatehouse/protocol";
import { type SiteBody, serviceOf } from "../find-site.js";
import { type FetchedPage, fetchPage, type LookedAt, servedPage } from "./fetch-page.js";
import { INSTALL_GUIDE, type SiteFinding } from "./finding.js";

type Path = keyof typeof OWN_DOMAIN_PATHS;

/** Every address in Gatehouse's documents names the site, by its key or the key's hash. */
function isGatehouses({ text }: FetchedPage, { site_key, site_key_hash }: SiteBody): boolean {
  return text.includes(site_key) || text.includes(site_key_hash);
}

const mediaType = ({ headers }: FetchedPage) => headers["content-type"]?.split(";")[0] ?? "none";

const OWN_DOCUMENT =
  "To keep your own document, add the path to `except`. Otherwise a worker or plugin replaces it.";
const OWN_DID =
  "To keep your own document, add Gatehouse's verification method and its id to `assertionMethod` (`gatehouse site preview … --document did`), and add the path to `except`.";

function judge(path: Path, here: FetchedPage, there: FetchedPage, site: SiteBody): SiteFinding {
  if (here.status >= 300 && here.status < 400) {
    const observation = `redirects to ${here.headers.location}; agents may not follow redirects`;
    const advice = `Serve it at its own path: ${INSTALL_GUIDE}.`;
    return { item: path, state: "wrong", found: observation, advice };
  }
  if (here.status !== 200) {
    const observation = `not served (status ${here.status})`;
    const advice = `Serve it with a worker, the Node plugin or a proxy rule: ${INSTALL_GUIDE}.`;
    return { item: path, state: "missing", found: observation, advice };
  }
  if (!isGatehouses(here, site)) {
    const observation = "a different document, not from Gatehouse";
    const own = path === "/.well-known/did.json" ? OWN_DID : OWN_DOCUMENT;
    const advice = own.replace("…", site.domain);
    return { item: path, state: "missing", found: observation, advice };
  }
  if (mediaType(here) !== mediaType(there)) {
    const observation = `from Gatehouse, but served as ${mediaType(here)} instead of ${mediaType(there)}`;
    const advice = "Keep the headers of Gatehouse's answer.";
    return { item: path, state: "wrong", found: observation, advice };
  }
  const same = here.text === there.text;
  const observation = same ? "from Gatehouse, up to date" : "from Gatehouse, a few minutes old";
  return { item: path, state: "good", found: observation };
}

/** A plugin that has just started lets the site answer once, rather than have anybody wait. */
async function fetchTwice(path: Path, at: LookedAt) {
  const first = await fetchPage(path, at, "manual");
  return first.kind === "fault" || first.status !== 404 ? first : fetchPage(path, at, "manual");
}

async function checkDocument(path: Path, at: LookedAt, site: SiteBody): Promise<SiteFinding> {
  const names = { siteKey: site.site_key, siteKeyHash: site.site_key_hash };
  const source = new URL(siteAddresses(serviceOf(site), names)[OWN_DOMAIN_PATHS[path]]);
  const [here, original] = await Promise.all([
    fetchTwice(path, at),
    fetchPage(source.pathname, { site: source, connect: source }, "manual"),
  ]);
  const there = servedPage(original);
  if (here.kind === "fault") return { item: path, state: "wrong", found: here.fault };
  if (there.kind === "fault") {
    const observation = `cannot be compared: ${source.href} ${there.fault}`;
    return { item: path, state: "wrong", found: observation };
  }
  return judge(path, here, there, site);
}

/** Needed on the domain only while agents can buy. */
const PROFILE: Path = "/.well-known/ucp";

/** Each document where agents look for it on the site's own domain. */
export function checkDocuments(
  at: LookedAt,
  site: SiteBody,
  sells: boolean,
): Promise<SiteFinding[]> {
  const all = Object.keys(OWN_DOMAIN_PATHS) as Path[];
  const paths = all.filter((path) => sells || path !== PROFILE);
  return Promise.all(paths.map((path) => checkDocument(path, at, site)));
}

/**
 * The script of `<script async src="https://gate.example.com/embed.js" data-site-key="us_…">`.
 * It imports nothing, stores nothing, reads no cookie, and whatever goes wrong in it stays in it:
 * the page it stands on is somebody's shop.
 */

/** Where agents find the site's documents from its own pages; the service names more in them. */
function addLinks(service: string, siteKey: string): void {
  const links = [
    ["ard", `/v1/catalog/${siteKey}/ard.json`, "application/json"],
    ["ai-catalog", `/v1/catalog/${siteKey}.json`, "application/ai-catalog+json"],
    ["alternate", `/v1/agent-card/${siteKey}.json`, "application/a2a-agent-card+json"],
  ] as const;
  for (const [rel, path, type] of links) {
    if (document.querySelector(`link[rel="${rel}"][type="${type}"]`) !== null) continue;
    const link = document.createElement("link");
    link.rel = rel;
    link.type = type;
    link.href = service + path;
    document.head.append(link);
  }
}

function beaconOf(siteKey: string): string {
  return JSON.stringify({
    schema_version: "1",
    site_key: siteKey,
    observed_at: new Date().toISOString(),
    identification: {
      user_agent: navigator.userAgent,
      automation: { webdriver: navigator.webdriver === true },
    },
    // Without query and fragment: what is not sent cannot be kept.
    page_context: { url: location.origin + location.pathname },
  });
}

/** Where beacons are blocked the browser says so in its console: once is enough. */
let blocked = false;

/** Fire and forget, also while the page goes away. (`sendBeacon` would send cookies along.) */
function send(service: string, siteKey: string): void {
  if (blocked || !navigator.onLine) return;
  fetch(`${service}/v1/discovery/ingest`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: beaconOf(siteKey),
    credentials: "omit",
    referrerPolicy: "no-referrer",
    keepalive: true,
  }).catch(() => {
    blocked = navigator.onLine;
  });
}

/** Calls back when the page has moved to another path without being loaded anew. */
function onNavigation(moved: () => void): void {
  let path = location.pathname;
  const look = () => {
    if (location.pathname === path) return;
    path = location.pathname;
    moved();
  };
  const later = () => setTimeout(quietly(look));
  for (const name of ["pushState", "replaceState"] as const) {
    const own = history[name];
    history[name] = function (this: History, ...args: Parameters<History["pushState"]>) {
      // The site's own call, with its own errors, before anything of ours.
      const result = own.apply(this, args);
      later();
      return result;
    };
  }
  addEventListener("popstate", later);
}

function quietly(task: () => void): () => void {
  return () => {
    try {
      task();
    } catch {
      // Nothing here is worth an error on somebody's page.
    }
  };
}

/** Pages rendered ahead of time are not visited yet. */
function whenShown(task: () => void): void {
  const page = document as Document & { readonly prerendering?: boolean };
  if (page.prerendering === true) {
    page.addEventListener("prerenderingchange", quietly(task), { once: true });
  } else {
    task();
  }
}

quietly(() => {
  // A module, or a script that another one put in, is not told which element it is.
  const script = (document.currentScript ??
    document.querySelector("script[data-site-key]")) as HTMLScriptElement | null;
  const siteKey = script?.dataset.siteKey ?? "";
  if (script === null || !/^[\w-]{8,130}$/.test(siteKey)) return;
  if (!/^https?:$/.test(location.protocol)) return;
  const service = new URL(script.src).origin;
  addLinks(service, siteKey);
  const tell = quietly(() => send(service, siteKey));
  whenShown(() => {
    tell();
    onNavigation(tell);
  });
})();

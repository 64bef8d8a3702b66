/** The shop's own pages, with the plugin in front of them. */
import { gatehouse } from "@gatehouse/edge/node";

const PAGES = {
  "/": "<!doctype html><title>Fern &amp; Petal</title><h1>Flowers</h1>",
  "/prices": "<!doctype html><title>Prices</title><p>A bouquet is 24 €.</p>",
};

/** What answers requests to the shop; `flush` waits until all visits are reported. */
export function shopPages(env) {
  const plugin = gatehouse({
    site: env.GATEHOUSE_SITE,
    gatehouse: env.GATEHOUSE_URL,
    siteKeyHash: env.GATEHOUSE_SITE_KEY_HASH,
    edgeToken: env.GATEHOUSE_EDGE_TOKEN,
    allow: env.GATEHOUSE_KEYS_ALLOW?.split(","),
  });
  const answer = (request, response) => {
    plugin(request, response, () => {
      const page = PAGES[request.url];
      response.writeHead(page === undefined ? 404 : 200, {
        "content-type": "text/html; charset=utf-8",
      });
      response.end(page ?? "");
    });
  };
  return { answer, flush: () => plugin.flush() };
}

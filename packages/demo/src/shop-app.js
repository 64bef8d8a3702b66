/** The shop's own application: two pages, and the plugin in front of them. */
import { createServer } from "node:http";
import { gatehouse } from "@gatehouse/edge/node";

const PAGES = {
  "/": "<!doctype html><title>Fern &amp; Petal</title><h1>Flowers</h1>",
  "/prices": "<!doctype html><title>Prices</title><p>A bouquet is 24 €.</p>",
};

const { env } = process;
const plugin = gatehouse({
  site: env.GATEHOUSE_SITE,
  gatehouse: env.GATEHOUSE_URL,
  siteKeyHash: env.GATEHOUSE_SITE_KEY_HASH,
  edgeToken: env.GATEHOUSE_EDGE_TOKEN,
  allow: env.GATEHOUSE_KEYS_ALLOW?.split(","),
});

const server = createServer((request, response) => {
  plugin(request, response, () => {
    const page = PAGES[request.url];
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(page ?? "");
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`the shop is at http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", async () => {
  server.close();
  await plugin.flush();
  process.exit();
});

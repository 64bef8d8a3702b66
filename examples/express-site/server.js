import { gatehouse } from "@gatehouse/edge/node";
import express from "express";

const {
  PORT = "3000",
  GATEHOUSE_SITE = `http://shop.localhost:${PORT}`,
  GATEHOUSE_URL,
  GATEHOUSE_SITE_KEY_HASH,
  GATEHOUSE_EDGE_TOKEN,
  GATEHOUSE_KEYS_ALLOW,
} = process.env;

const plugin = gatehouse({
  site: GATEHOUSE_SITE,
  gatehouse: GATEHOUSE_URL,
  siteKeyHash: GATEHOUSE_SITE_KEY_HASH,
  edgeToken: GATEHOUSE_EDGE_TOKEN,
  // For development: agents on this machine.
  allow: GATEHOUSE_KEYS_ALLOW?.split(","),
});

const app = express();
// First, so that it sees every request.
app.use(plugin);

app.get("/", (_request, response) => {
  response.send("<!doctype html><title>Fern &amp; Petal</title><h1>Flowers</h1>");
});
app.get("/prices", (_request, response) => {
  response.send("<!doctype html><title>Prices</title><p>A bouquet is 24 €.</p>");
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`the shop is at http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", async () => {
  server.close();
  await plugin.flush();
  process.exit();
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startMailbox } from "../../packages/server/test/notifications/mailbox.ts";
import { StripeSimulator } from "../../packages/server/test/stripe/simulator.ts";

/** The start page of the shop of the guides, before anything was put on it. */
const PAGE =
  "<!doctype html><html><head><title>Fern &amp; Petal</title></head><body></body></html>";

/** The product feed of the shop. */
const FEED = `<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>
<item><g:id>roses-12</g:id><g:title>Twelve roses</g:title><g:price>39.00 EUR</g:price></item>
<item><g:id>tulips-20</g:id><g:title>Twenty tulips</g:title><g:price>24.00 EUR</g:price></item>
</channel></rss>`;

const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/": ["text/html", PAGE],
  "/products.xml": ["application/xml", FEED],
};

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** `shop.example.com`: a page, a product feed, and somebody who takes what is told to its owner. */
function shopServer(): Server {
  return createServer((request, response) => {
    request.resume();
    if (request.method === "POST") return response.writeHead(204).end();
    const file = FILES[request.url ?? ""];
    if (file === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": file[0] }).end(file[1]);
  });
}

/** Ports that no system gives out by itself: what is free here stays so between two guides. */
const PORTS = { first: 20_000, count: 10_000 };
const PORT_TRIES_MAX = 20;

/** A port nobody listens on. */
export async function freePort(tries = PORT_TRIES_MAX): Promise<number> {
  const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
  const server = createServer();
  const taken = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(true));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
  });
  if (!taken) return port;
  if (tries === 0) throw new Error("no port is free");
  return freePort(tries - 1);
}

/** What guides speak of and a machine without a network lacks. */
export async function openWorld() {
  const shop = shopServer();
  const shopPort = await listening(shop);
  const mailbox = await startMailbox();
  const stripe = await StripeSimulator.start();
  return {
    shop: `http://127.0.0.1:${shopPort}`,
    mailUrl: `smtp://127.0.0.1:${mailbox.port}`,
    stripe,
    async close() {
      shop.close();
      shop.closeAllConnections();
      await Promise.all([mailbox.close(), stripe.stop()]);
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

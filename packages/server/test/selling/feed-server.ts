import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";

/** A shop's web server on loopback, whose answers a test changes as it goes. */
export interface FeedServer {
  /** `host:port`, as the service is allowed to reach it. */
  readonly host: string;
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** What it answers with: a text, or whatever a listener does. */
  answer: string | RequestListener;
  stop(): void;
}

export async function startFeedServer(): Promise<FeedServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const { answer } = feeds;
    if (typeof answer === "string") response.end(answer);
    else answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const feeds: FeedServer = {
    host,
    url: `http://${host}/feed`,
    requests,
    answer: "",
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return feeds;
}

/** An item of Google's feed, with what a test changes. */
export function item(id: string, fields: Readonly<Record<string, string>> = {}): string {
  const attributes = { id, title: `Flower ${id}`, price: "2.50 EUR", ...fields };
  const elements = Object.entries(attributes).map(
    ([name, text]) => `<g:${name}>${text}</g:${name}>`,
  );
  return `<item>${elements.join("\n")}</item>`;
}

export function rss(...items: readonly string[]): string {
  return `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
${items.join("\n")}
</channel></rss>`;
}

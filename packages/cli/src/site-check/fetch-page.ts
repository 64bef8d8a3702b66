import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

const FETCH_MS_MAX = 10_000;
const BYTES_MAX = 1024 * 1024;
const REDIRECTS_MAX = 5;
/** Says who asks, so that an owner who reads logs knows. */
const USER_AGENT = "Gatehouse-site-check/1";

/** Where a site is looked at: its own address, and the machine that is really asked. */
export interface LookedAt {
  /** What visitors have in their address bar. */
  readonly site: URL;
  /** Scheme, host and port of the connection. */
  readonly connect: URL;
}

/** An answer of the site, or why there was none. */
export interface FetchedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type Fetched = FetchedPage | { readonly fault: string };

const LOCAL = /(?:^|\.)localhost$/;

function open(url: URL, { site, connect }: LookedAt): ClientRequest {
  const same = url.host === site.host;
  const to = same ? connect : url;
  const send = to.protocol === "https:" ? httpsRequest : httpRequest;
  return send({
    // Names below localhost are this machine (RFC 6761), which not every resolver knows.
    host: LOCAL.test(to.hostname) ? "127.0.0.1" : to.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: to.port,
    path: url.pathname + url.search,
    servername: url.hostname,
    agent: false,
    headers: { host: url.host, accept: "*/*", "user-agent": USER_AGENT, connection: "close" },
  });
}

function readAll(response: IncomingMessage): Promise<Fetched> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BYTES_MAX) return void chunks.push(chunk);
      response.destroy();
      resolve({ fault: "answers with more than 1 MB" });
    });
    response.on("end", () => {
      const entries = Object.entries(response.headers).map(([name, value]) => [
        name,
        String(value),
      ]);
      const headers = Object.fromEntries(entries) as Record<string, string>;
      const text = Buffer.concat(chunks).toString("utf8");
      resolve({ status: response.statusCode ?? 0, headers, text });
    });
    response.on("error", () => resolve({ fault: "ends its answer before it is whole" }));
  });
}

function fetchOnce(url: URL, at: LookedAt): Promise<Fetched> {
  return new Promise((resolve) => {
    const request = open(url, at);
    const late = setTimeout(() => {
      request.destroy();
      resolve({ fault: "does not answer within 10 s" });
    }, FETCH_MS_MAX);
    const finish = (fetched: Fetched) => {
      clearTimeout(late);
      resolve(fetched);
    };
    request.on("response", (response) => void readAll(response).then(finish));
    request.on("error", (error: NodeJS.ErrnoException) =>
      finish({ fault: `cannot be reached (${error.code ?? error.message})` }),
    );
    request.end();
  });
}

/** Where a redirect leads; undefined for what is none, or leads nowhere. */
function targetOf({ status, headers }: FetchedPage, from: URL): URL | undefined {
  const { location = "" } = headers;
  if (status < 300 || status >= 400 || location === "") return undefined;
  try {
    const to = new URL(location, from);
    return /^https?:$/.test(to.protocol) ? to : undefined;
  } catch {
    return undefined;
  }
}

/** Asks as an agent would; whether redirects are followed says the caller. */
export async function fetchPage(
  path: string,
  at: LookedAt,
  redirect: "manual" | "follow",
): Promise<Fetched> {
  let url = new URL(path, at.site);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const fetched = await fetchOnce(url, at);
    if ("fault" in fetched || redirect === "manual") return fetched;
    const next = targetOf(fetched, url);
    if (next === undefined) return fetched;
    url = next;
  }
  return { fault: "leads from address to address without end" };
}

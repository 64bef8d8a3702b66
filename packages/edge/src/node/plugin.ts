import type { IncomingMessage, ServerResponse } from "node:http";
import { parseUrl, type SignedRequest } from "@gatehouse/protocol";
import { Edge } from "../edge.js";
import type { Clock } from "../runtime.js";
import { type EdgeOptions, readSettings } from "../settings.js";
import { contentTypeOf } from "./content-type.js";
import { nodeRuntime } from "./node-runtime.js";
import { sendResponse } from "./send-response.js";

export interface PluginOptions extends EdgeOptions {
  /** What visitors have in their address bar, such as `https://shop.example.com`. */
  readonly site: string;
  /** Hosts keys may be fetched from although they are not public: for development. */
  readonly allow?: readonly string[] | undefined;
  /** Where warnings go; the console unless said. */
  readonly warn?: ((text: string) => void) | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
}

export interface Plugin {
  (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void;
  /** Reports the visits that wait, as before the process ends. */
  flush(): Promise<void>;
}

const OPTIONS: readonly string[] = [
  "site",
  "gatehouse",
  "siteKeyHash",
  "edgeToken",
  "except",
  "visits",
  "allow",
  "warn",
  "clock",
];

/** A name and perhaps a port; nothing in it could end the host of a URL. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/;
const HOST_CHARS_MAX = 259;

/** Whether a Host names the site, or a name below it; whoever sends another is not believed. */
function isOfSite(host: string, site: URL): boolean {
  if (host === site.host) return true;
  return host.length <= HOST_CHARS_MAX && HOST.test(host) && host.endsWith(`.${site.host}`);
}

/** Path and query of a request's target, which may also be a whole address (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const url = parseUrl(target);
  return url === undefined ? "/" : url.pathname + url.search;
}

/** The request as its sender meant it: proxies before us may have changed scheme and Host. */
function readRequest(request: IncomingMessage, site: URL): SignedRequest {
  const { rawHeaders, method = "GET" } = request;
  const fields: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // HTTP/2 has method, path and host among them.
    if (!name.startsWith(":")) fields.push({ name, value: rawHeaders[at + 1] as string });
  }
  const { host: named = request.headers[":authority"] ?? "" } = request.headers;
  const sent = String(named).toLowerCase();
  const host = isOfSite(sent, site) ? sent : site.host;
  // Where it is mounted below a path, Express keeps what was asked for here.
  const { originalUrl = request.url ?? "/" } = request as { originalUrl?: string };
  return { method, url: `${site.protocol}//${host}${pathOf(originalUrl)}`, fields };
}

/**
 * Middleware for Express, Connect and whatever calls `(request, response, next)`. Options that cannot
 * hold throw at once, when the application starts; later nothing does.
 */
export function gatehouse(options: PluginOptions): Plugin {
  const strange = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (strange !== undefined) throw new TypeError(`gatehouse: there is no option \`${strange}\``);
  const settings = readSettings(options);
  if (!settings.ok) throw new TypeError(`gatehouse: ${settings.detail}`);
  const site = parseUrl(options.site ?? "");
  if (site?.protocol !== "https:" && site?.protocol !== "http:") {
    throw new TypeError("gatehouse: `site` must be the site's own address, with https://");
  }
  const edge = new Edge(settings.value, nodeRuntime(options));
  const plugin: Plugin = (request, response, next) => {
    const incoming = readRequest(request, site);
    const contentType = contentTypeOf(response);
    let ours = false;
    response.once("finish", () => {
      const answered = { status: response.statusCode, contentType: contentType(), ours };
      void edge.observe(incoming, answered);
    });
    if (!edge.isAsked(incoming)) return next();
    // Work that outlives the request goes on by itself in Node.
    edge
      .answer(incoming, () => {})
      .then((answer) => {
        // Out of the promise: what the application throws is the application's.
        if (answer === undefined || response.headersSent) return void setImmediate(next);
        ours = true;
        sendResponse(response, answer, next);
      });
  };
  plugin.flush = () => edge.flush();
  return plugin;
}

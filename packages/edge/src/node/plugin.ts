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
  ...["site", "gatehouse", "siteKeyHash", "edgeToken", "except", "visits"],
  ...["allow", "warn", "clock"],
];

/** Whether a Host names the site, or a name below it; whoever sends another is not believed. */
function isOfSite(host: string, site: URL): boolean {
  return host === site.host || host.endsWith(`.${site.host}`);
}

/** The request as its sender meant it: proxies before us may have changed scheme and Host. */
function readRequest(request: IncomingMessage, site: URL): SignedRequest {
  const { rawHeaders, method = "GET" } = request;
  const fields: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    fields.push({ name: rawHeaders[at] as string, value: rawHeaders[at + 1] as string });
  }
  const sent = (request.headers.host ?? "").toLowerCase();
  const host = isOfSite(sent, site) ? sent : site.host;
  // Where it is mounted below a path, Express keeps what was asked for here.
  const { originalUrl = request.url ?? "/" } = request as { originalUrl?: string };
  return { method, url: `${site.protocol}//${host}${originalUrl}`, fields };
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
    const asked = readRequest(request, site);
    const contentType = contentTypeOf(response);
    let ours = false;
    response.once("finish", () => {
      const answered = { status: response.statusCode, contentType: contentType(), ours };
      void edge.observe(asked, answered);
    });
    if (!edge.isAsked(asked)) return next();
    // Work that outlives the request goes on by itself in Node.
    edge
      .answer(asked, () => {})
      .then((found) => {
        if (found === undefined || response.headersSent) return next();
        ours = true;
        sendResponse(response, found, next);
      });
  };
  plugin.flush = () => edge.flush();
  return plugin;
}

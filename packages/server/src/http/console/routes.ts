import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { CONSOLE_FOLDER } from "../../infra/assets.js";
import { CONSOLE_PATH } from "../server/credentials.js";
import { isFresh } from "../server/etag.js";
import {
  describedRoutes,
  type HonoGroup,
  type HttpEnv,
  strictBodies,
} from "../server/hono-group.js";
import { requireFound } from "../server/problem.js";
import { oidcRoutes } from "./oidc.js";
import { passkeyRoutes } from "./passkeys.js";
import { personRoutes } from "./person.js";
import { sessionRoutes } from "./session.js";
import { setUpRoute } from "./set-up.js";

const PAGE = "index.html";
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/**
 * Only files of this build: no inline script and no other origin. Pictures of products come from where their owner
 * keeps them. The public page of a shop is shown in a frame without rights.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob: https:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface File {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed at the first request. Compressing at the start would double its time. */
  zipped?: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

function readFile(name: string, type: string): File {
  const bytes = new Uint8Array(readFileSync(CONSOLE_FOLDER + name));
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return { type, bytes, etag };
}

/**
 * The files of this build. Their names are read once, so a request cannot reach any other file. A file is
 * read at its first request and then kept; the number of files limits what is kept.
 */
class ConsoleFiles {
  private readonly types = new Map<string, string>();
  private readonly read = new Map<string, File>();

  constructor() {
    if (!existsSync(CONSOLE_FOLDER)) return;
    for (const path of readdirSync(CONSOLE_FOLDER, { recursive: true, encoding: "utf8" })) {
      const type = TYPES[path.split(".").at(-1) ?? ""];
      if (type !== undefined) this.types.set(path.replaceAll("\\", "/"), type);
    }
  }

  get size(): number {
    return this.types.size;
  }

  get(name: string): File | undefined {
    const type = this.types.get(name);
    if (type === undefined) return undefined;
    const file = this.read.get(name) ?? readFile(name, type);
    this.read.set(name, file);
    return file;
  }
}

/** The console: its files and its sessions. */
export function consoleRoutes(context: Context): HonoGroup {
  const routes = describedRoutes<HttpEnv>();
  const files = new ConsoleFiles();
  if (files.size === 0) context.log.warn({ folder: CONSOLE_FOLDER }, "console.missing");

  function serve(c: HonoContext<HttpEnv>, name: string): Response {
    const file = requireFound(files.get(name));
    const { type, bytes, etag } = file;
    c.header("etag", etag);
    c.header("vary", "Accept-Encoding");
    // The name of an asset changes with its content.
    const caching = name === PAGE ? "no-cache" : "public, max-age=31536000, immutable";
    c.header("cache-control", caching);
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    c.header("content-type", type);
    c.header("content-security-policy", POLICY);
    c.header("referrer-policy", "no-referrer");
    // A page that opens the console gets no reference to its window.
    c.header("cross-origin-opener-policy", "same-origin");
    c.header("cross-origin-resource-policy", "same-origin");
    const zips = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
    if (!zips) return c.body(bytes, 200);
    c.header("content-encoding", "gzip");
    file.zipped ??= new Uint8Array(gzipSync(bytes));
    return c.body(file.zipped, 200);
  }

  routes.use("/v1/console/*", strictBodies(context));
  sessionRoutes(routes, context);
  setUpRoute(routes, context);
  personRoutes(routes, context);
  passkeyRoutes(routes, context);
  oidcRoutes(routes, context);
  routes.get(CONSOLE_PATH, (c) => serve(c, PAGE));
  routes.get(`${CONSOLE_PATH}/`, (c) => c.redirect(CONSOLE_PATH, 308));
  routes.get(`${CONSOLE_PATH}/assets/:name`, (c) => serve(c, `assets/${c.req.param("name")}`));
  // All pages are one file, whose script reads the address.
  routes.get(`${CONSOLE_PATH}/:page{.+}`, (c) => serve(c, PAGE));
  return { name: "console", cors: "none", routes: routes as unknown as OpenAPIHono<HttpEnv> };
}

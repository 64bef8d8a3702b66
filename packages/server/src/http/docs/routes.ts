import { namedType } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { DOCS_FOLDER } from "../../infra/assets.js";
import { isFresh } from "../server/etag.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { Problem, requireFound } from "../server/problem.js";
import { DOCS_PATH, FIRST_PAGE, PAGE_HEADERS, SEARCH_PATH, STYLE_PATH } from "./page.js";
import { type DocsFile, DocsPages, docsFile, FORMS, type Form } from "./pages.js";
import { QUERY_CHARS_MAX } from "./search.js";
import { STYLE } from "./style.js";

/** Short, because an update may change the pages. */
const CACHE = "public, max-age=300";

/**
 * Browsers get HTML; programs get Markdown. Its type is `text/markdown` only if a program asks for it,
 * because browsers show plain text but download Markdown.
 */
function formOf({ req }: HonoContext<HttpEnv>): Form {
  if (req.query("as") === "markdown") return "text/plain";
  return namedType(req.header("accept"), FORMS) ?? "text/plain";
}

function answer(c: HonoContext<HttpEnv>, { type, bytes, etag }: DocsFile): Response {
  c.header("etag", etag);
  c.header("cache-control", CACHE);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
  if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
  c.header("content-type", type);
  c.header("content-length", String(bytes.length));
  return c.body(bytes);
}

/** The documentation of this build. Error messages and documents link to it. */
export function docsRoutes({ log }: Context): HonoGroup {
  const pages = new DocsPages(DOCS_FOLDER);
  if (pages.size === 0) log.warn({ folder: DOCS_FOLDER }, "docs.missing");
  const style = docsFile("text/css", STYLE);
  const routes = new OpenAPIHono<HttpEnv>();

  // A redirect, because links on the page are relative to its own address.
  for (const path of [DOCS_PATH, `${DOCS_PATH}/`]) {
    routes.get(path, (c) => c.redirect(`${DOCS_PATH}/${FIRST_PAGE}`, 302));
  }
  routes.get(STYLE_PATH, (c) => answer(c, style));
  routes.get(SEARCH_PATH, async (c) => {
    const query = (c.req.query("q") ?? "").trim().slice(0, QUERY_CHARS_MAX);
    const page = await pages.search(query);
    c.header("x-robots-tag", "noindex");
    return answer(c, page);
  });
  routes.get(`${DOCS_PATH}/:page{.+\\.md}`, async (c) => {
    const page = requireFound(await pages.page(c.req.param("page"), formOf(c)));
    c.header("vary", "Accept");
    return answer(c, page);
  });

  routes.get(`${DOCS_PATH}/:picture{.+\\.png}`, async (c) =>
    answer(c, requireFound(await pages.picture(c.req.param("picture")))),
  );

  // People leave out `.md`. The redirect names a page of this build, so it contains no foreign text.
  routes.get(`${DOCS_PATH}/:page{.+}`, (c) => {
    const name = `${c.req.param("page")}.md`;
    if (!pages.has(name)) throw new Problem("not_found");
    return c.redirect(`${DOCS_PATH}/${name}`, 302);
  });

  return { name: "docs", cors: "open", routes };
}

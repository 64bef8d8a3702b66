import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import { CONSOLE_PATH } from "../server/credentials.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { htmlPage, isBrowser, PAGE_HEADERS } from "../server/html-page.js";
import { Problem } from "../server/problem.js";
import { DOCS_PATH } from "./page.js";

const PAGE = htmlPage(
  { title: "Gatehouse" },
  `<h1>Gatehouse</h1>
<p>This is a Gatehouse: it stands between websites and AI agents. It tells agents what a site offers,
decides by its owner's rules what they may do and buy, and keeps a signed record of it.</p>
<p><a class="act" href="${CONSOLE_PATH}">Open the console</a></p>
<ul>
<li><a href="${DOCS_PATH}">Documentation</a>: for owners, operators and those who write agents</li>
<li><a href="/openapi.json">OpenAPI</a>: for programs, which find everything below <code>/v1</code></li>
</ul>
<p class="soft">Version ${VERSION}</p>`,
);

/** The page for people who open the bare address. Programs get `not_found`. */
export function homeRoutes(): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  routes.get("/", (c) => {
    if (!isBrowser(c.req.header("accept"))) throw new Problem("not_found");
    return c.body(PAGE, 200, PAGE_HEADERS);
  });
  return { name: "home", cors: "open", routes };
}

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
<p>This service runs Gatehouse, the gate between websites and AI agents. It shows agents what a site offers,
decides by the owner's rules what they can do and buy, and keeps a signed record of every decision.</p>
<p><a class="act" href="${CONSOLE_PATH}">Open the console</a></p>
<ul>
<li><a href="${DOCS_PATH}">Documentation</a>: for owners, operators and agent developers</li>
<li><a href="/openapi.json">OpenAPI</a>: the API for programs, under <code>/v1</code></li>
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

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { prefersMarkdown } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { DOCS_FOLDER } from "../../platform/assets.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";

/** The pages of this build by their path; read once, so a request can name no other file. */
function readPages(): ReadonlyMap<string, string> {
  if (!existsSync(DOCS_FOLDER)) return new Map();
  const names = readdirSync(DOCS_FOLDER, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => name.endsWith(".md"))
      .map((name) => [name.replaceAll("\\", "/"), readFileSync(DOCS_FOLDER + name, "utf8")]),
  );
}

/** The documentation of this very build, where error messages and documents point to. */
export function docsDoor({ log }: Context): Door {
  const pages = readPages();
  if (pages.size === 0) log.warn({ folder: DOCS_FOLDER }, "docs.missing");
  const routes = new OpenAPIHono<HttpEnv>();

  routes.get("/docs", (c) => c.redirect("/docs/README.md", 302));

  routes.get("/docs/:page{.+\\.md}", (c) => {
    const page = pages.get(c.req.param("page"));
    if (page === undefined) throw new Problem("not_found");
    // Browsers show plain text and save Markdown.
    const type = prefersMarkdown(c.req.header("accept"), "text/plain") ? "markdown" : "plain";
    c.header("vary", "Accept");
    return c.body(page, 200, { "content-type": `text/${type}; charset=utf-8` });
  });

  return { name: "docs", cors: "open", routes };
}

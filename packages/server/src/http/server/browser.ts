import { namedType } from "@gatehouse/protocol";
import type { HonoRequest } from "hono";
import { htmlPage, PAGE_HEADERS } from "./html-page.js";

/** Below it everything is for programs, whatever they say they take. */
const PROGRAMS_PREFIX = "/v1";

/** Whether a person looks at it: somebody who names pages before anything programs read. */
export function isBrowser(request: Pick<HonoRequest, "header">): boolean {
  return namedType(request.header("accept"), ["application/json", "text/html"]) === "text/html";
}

const NOTHING_HERE = htmlPage(
  { title: "Nothing is here · Gatehouse" },
  `<h1>Nothing is here</h1>
<p>This Gatehouse has no such page. If a link led here, it is old, or not whole.</p>
<p><a class="act" href="/">To the first page</a></p>
<p><a href="/docs">Documentation</a></p>`,
);

/** What a person gets instead of the error programs get, where a path leads nowhere. */
export function nothingHere({ req }: { readonly req: HonoRequest }): Response | undefined {
  const { method, path } = req;
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (path === PROGRAMS_PREFIX || path.startsWith(`${PROGRAMS_PREFIX}/`)) return undefined;
  if (!isBrowser(req)) return undefined;
  return new Response(NOTHING_HERE, { status: 404, headers: PAGE_HEADERS });
}

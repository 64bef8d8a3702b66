import { namedType } from "@gatehouse/protocol";
import type { Answer, Exchange } from "./exchange.js";
import { htmlPage, PAGE_HEADERS } from "./html-page.js";

/** Below it everything is for programs, whatever they say they take. */
const PROGRAMS_PREFIX = "/v1";

/** Whether an `Accept` header is a browser's: it names pages before anything programs read. */
export function isBrowser(accept: string | undefined): boolean {
  return namedType(accept, ["application/json", "text/html"]) === "text/html";
}

const NOTHING_HERE = htmlPage(
  { title: "Nothing is here · Gatehouse" },
  `<h1>Nothing is here</h1>
<p>This Gatehouse has no such page. If a link led here, it is old, or not whole.</p>
<p><a class="act" href="/">To the first page</a></p>
<p><a href="/docs">Documentation</a></p>`,
);

/** The page that a person gets for an unknown path, where programs get an error. */
export function nothingHere({ path, request }: Exchange): Answer | undefined {
  const { headers, method } = request;
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (path === PROGRAMS_PREFIX || path.startsWith(`${PROGRAMS_PREFIX}/`)) return undefined;
  if (!isBrowser(headers.accept)) return undefined;
  return { status: 404, body: NOTHING_HERE, headers: PAGE_HEADERS };
}

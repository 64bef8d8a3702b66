import type { HonoRequest } from "hono";
import { parse } from "hono/utils/cookie";
import { Problem } from "./problem.js";

/** Where the console is. */
export const CONSOLE_PATH = "/console";

/** Set by the console's own script on every call: no form and no other origin can. */
const CONSOLE_HEADER = "x-gatehouse-console";

/** `__Host-`: set by this host itself over a trustworthy line, for all of it, and for nobody else. */
export const SESSION_COOKIE = "__Host-gatehouse";

type Headers = Pick<HonoRequest, "header">;

/** What a browser holds of its session; undefined where it has none. */
export function sessionSecret(request: Headers): string | undefined {
  return parse(request.header("cookie") ?? "", SESSION_COOKIE)[SESSION_COOKIE];
}

/**
 * Refuses what does not come from a page of the console itself. Cookies go along with requests that
 * others make: what a cookie signs must say where it comes from, in ways that only that page can.
 */
export function requireOwnPage(request: Headers, baseUrl: string): void {
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  const own =
    request.header(CONSOLE_HEADER) === "1" &&
    (origin === undefined || origin === new URL(baseUrl).origin) &&
    (site === undefined || site === "same-origin");
  if (own) return;
  const message = `This can only be asked for by a page of the console, at ${baseUrl}${CONSOLE_PATH}.`;
  throw new Problem("forbidden", { message });
}

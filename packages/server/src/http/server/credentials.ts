import type { HonoRequest } from "hono";
import { parse } from "hono/utils/cookie";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import type { TokenAuthenticator } from "../../domain/access/token-authenticator.js";
import { namedOrigin } from "../../infra/web-name.js";
import { Problem } from "./problem.js";

/** Where the console is. */
export const CONSOLE_PATH = "/console";

/** The console's own script sets it on every call. No form and no other origin can set it. */
const CONSOLE_HEADER = "x-gatehouse-console";

/** Browsers accept a `__Host-` cookie only from this host itself, over HTTPS, and for all its paths. */
export const SESSION_COOKIE = "__Host-gatehouse";

type Headers = Pick<HonoRequest, "header">;

/**
 * The holder of the token in an `Authorization` header; undefined if it is not valid. An address that
 * sent too many invalid tokens has to wait.
 */
export async function tokenHolder<Holder>(
  authenticator: TokenAuthenticator<Holder>,
  authorization: string | undefined,
  address: string,
): Promise<Holder | undefined> {
  const result = await authenticator.admit(authorization, address);
  if (result.ok) return result.value;
  if (result.reason !== "rate_limited") return undefined;
  throw new Problem("rate_limited", { headers: { "retry-after": result.detail } });
}

/** The holder of an admin token; undefined if it is not valid. */
export function principalOf(
  { tokenAuthenticator }: Context,
  authorization: string | undefined,
  address: string,
): Promise<Principal | undefined> {
  return tokenHolder(tokenAuthenticator, authorization, address);
}

/** The secret of a browser's console session; undefined if it has none. */
export function sessionSecret(request: Headers): string | undefined {
  return parse(request.header("cookie") ?? "", SESSION_COOKIE)[SESSION_COOKIE];
}

/** The console is at the base URL, and at localhost if that is an address of this machine: passkeys need a name. */
const isOwnOrigin = (origin: string, baseUrl: string) =>
  origin === new URL(baseUrl).origin || origin === namedOrigin(baseUrl);

/**
 * Accepts only requests from a page of the console. Browsers send cookies with requests that other sites
 * cause, so a request with a session must prove where it comes from in ways that only the console can.
 */
export function requireConsolePage(request: Headers, baseUrl: string): void {
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  const isConsole =
    request.header(CONSOLE_HEADER) === "1" &&
    (origin === undefined || isOwnOrigin(origin, baseUrl)) &&
    (site === undefined || site === "same-origin");
  if (isConsole) return;
  const message = `Only pages of the console can send this request: ${baseUrl}${CONSOLE_PATH}.`;
  throw new Problem("forbidden", { message });
}

/** For a person who has to use a passkey first. The console asks for it and sends the request again. */
export function confirmationRequired(): Problem {
  const message = "Confirm with your passkey that it is you, then try again.";
  return new Problem("forbidden", { message, reasonCode: "confirmation_required" });
}

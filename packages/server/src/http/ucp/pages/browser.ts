import { parse } from "hono/utils/cookie";
import type { Config } from "../../../config/config.js";
import { type Checkout, pageUrl } from "../../../domain/checkouts/checkout.js";
import { DAY_MS, SECOND_MS } from "../../../infra/time.js";
import type { Exchange } from "../../server/exchange.js";

const COOKIE = "gatehouse_buyer";
const SECRET = /^[A-Za-z0-9_-]{20,80}$/;

/** The secret of a browser that a page gave it; undefined if it has none. */
export function browserIn(exchange: Exchange): string | undefined {
  const secret = parse(exchange.header("cookie") ?? "", COOKIE)[COOKIE];
  return secret !== undefined && SECRET.test(secret) ? secret : undefined;
}

/** Gives a browser its secret, for one page. It is also sent when the buyer returns from another site. */
export function browserCookie(
  config: Pick<Config, "baseUrl">,
  checkout: Checkout,
  secret: string,
): { readonly "set-cookie": string } {
  const url = new URL(pageUrl(config, checkout));
  const parts = [
    `${COOKIE}=${secret}`,
    `Path=${url.pathname}`,
    `Max-Age=${DAY_MS / SECOND_MS}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(url.protocol === "https:" ? ["Secure"] : []),
  ];
  return { "set-cookie": parts.join("; ") };
}

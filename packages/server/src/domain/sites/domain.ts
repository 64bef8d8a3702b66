import { isIP } from "node:net";
import { ok, parseUrl, type Result, refuse } from "@gatehouse/protocol";
import { hasBrokenPunycode } from "@gatehouse/safe-fetch";
import type { Queries } from "../../infra/db/database.js";
import type { Site } from "./site.js";
import { siteByDomain } from "./store.js";

const DOMAIN_CHARS_MAX = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * A domain in the one form it is stored and compared in: IDNA ASCII, lower case, no trailing dot.
 * A port, and names of one label below `localhost`, are for development only.
 */
export function readDomain(
  text: string,
  options: { readonly development: boolean },
): Result<string, "not_a_domain"> {
  const fault = refuse("not_a_domain", "use a public host name such as shop.example.com");
  if (/^https?:/i.test(text)) {
    return refuse("not_a_domain", "use only the host name, without https:// and without a path");
  }
  if (text.length > DOMAIN_CHARS_MAX || /[/?#@\\\s]/.test(text)) return fault;
  const url = parseUrl(`https://${text}/`);
  if (url === undefined) return fault;
  const digits = /:(\d+)$/.exec(text)?.[1];
  const port = digits === undefined ? "" : `:${Number(digits)}`;
  if (port !== "" && !options.development) {
    return refuse("not_a_domain", "a port is only allowed in development");
  }
  const host = url.hostname.replace(/\.$/, "");
  if (isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0) {
    return refuse("not_a_domain", "use a domain instead of an IP address");
  }
  // Checked again, because the ASCII form of a name can be four times as long as the written one.
  if (host.length > DOMAIN_CHARS_MAX) return fault;
  const labels = host.split(".");
  const local = labels.at(-1) === "localhost";
  if (!labels.every((label) => LABEL.test(label)) || hasBrokenPunycode(host)) return fault;
  if (local ? !options.development : labels.length < 2) return fault;
  return ok(host + port);
}

/** The verified site of a domain, or the newest of those that still have to prove it. */
export async function findSiteByDomain(
  db: Queries,
  text: string,
  options: { readonly development: boolean },
): Promise<Site | undefined> {
  const domain = readDomain(text, options);
  return domain.ok ? siteByDomain(db, domain.value) : undefined;
}

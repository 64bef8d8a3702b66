import { proveCredential, type SentCredential } from "../../actions/platforms/prove-credential.js";
import type { Context } from "../../context.js";
import type { Platform } from "../../domain/platforms/platform.js";
import type { Caller as Client } from "../server/admission/caller.js";
import type { Exchange } from "../server/exchange.js";
import { Problem, requireNoWait } from "../server/problem.js";
import { invalid } from "./errors.js";

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * The API key or access token of a call; undefined if it has none. Other schemes of `Authorization` are not
 * about this service, and mean nothing.
 */
export function credentialIn(exchange: Exchange): SentCredential | undefined {
  const key = exchange.header("x-api-key");
  const authorization = exchange.header("authorization") ?? "";
  const isBearer = /^Bearer\b/i.test(authorization);
  if (key === undefined && !isBearer) return undefined;
  if (key !== undefined && isBearer) {
    throw invalid("Send `X-API-Key` or `Authorization: Bearer`, not both.");
  }
  if (key !== undefined) return { proof: "api_key", text: key };
  return { proof: "oauth", text: BEARER.exec(authorization)?.[1] ?? "" };
}

/** The entry of the platform that a credential proves. A wrong one is charged to its address, at this site alone. */
export async function requireCredential(
  context: Context,
  siteKeyHash: string,
  credential: SentCredential,
  { profileUrl, client }: { readonly profileUrl: string; readonly client: Client },
): Promise<Platform> {
  const { admission } = context;
  requireNoWait(admission.waitForCredential(client, siteKeyHash));
  const entry = await proveCredential(context, siteKeyHash, credential, profileUrl);
  if (entry.ok) return entry.value;
  admission.failCredential(client, siteKeyHash);
  const headers =
    credential.proof === "oauth" ? { "www-authenticate": 'Bearer error="invalid_token"' } : {};
  throw new Problem("unauthorized", { message: entry.detail, headers });
}

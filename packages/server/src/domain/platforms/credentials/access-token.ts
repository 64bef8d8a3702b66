import { createHmac, timingSafeEqual } from "node:crypto";
import { CLOCK_SKEW_MS } from "@gatehouse/protocol";
import type { Secrets } from "../../../infra/secrets/secrets.js";
import { HOUR_MS, SECOND_MS } from "../../../infra/time.js";
import { isLive, type PlatformCredential } from "./credential.js";

const ACCESS_TOKEN_MS_MAX = HOUR_MS;
const MAC_CHARS = 43;
/** A prefix, the client, when it expires in seconds, and the MAC. */
const FORM = /^ght_(client_[\w-]{24})\.(\d{1,12})\.([\w-]{43})$/;

/** What a token says about itself, once its MAC was checked. */
interface AccessToken {
  /** The OAuth client that it was issued to. */
  readonly credentialId: string;
}

function macOf(secrets: Secrets, siteKeyHash: string, body: string): Buffer {
  const key = secrets.keyFor("platform access token v1");
  const mac = createHmac("sha256", key).update(`${siteKeyHash}~${body}`);
  return Buffer.from(mac.digest("base64url"), "latin1");
}

/**
 * An access token that needs no storage: it names its client and its expiry, with a MAC that binds both to the
 * site; all nodes share the key. The client is looked up at every use, so revoking it ends its tokens at once.
 */
export function mintAccessToken(
  secrets: Secrets,
  { siteKeyHash, credentialId, expiresAt }: PlatformCredential,
  now: number,
): { readonly token: string; readonly lifeS: number } {
  const lifeS = Math.floor(Math.min(ACCESS_TOKEN_MS_MAX, expiresAt - now) / SECOND_MS);
  const body = `${credentialId}.${Math.floor(now / SECOND_MS) + lifeS}`;
  return { token: `ght_${body}.${macOf(secrets, siteKeyHash, body).toString("latin1")}`, lifeS };
}

/** The token in a text; undefined if it is none, has expired, or is of another site. */
export function readAccessToken(
  secrets: Secrets,
  siteKeyHash: string,
  text: string,
  now: number,
): AccessToken | undefined {
  const [, credentialId = "", expiresS = "0", mac = ""] = FORM.exec(text) ?? [];
  if (mac.length !== MAC_CHARS) return undefined;
  const own = macOf(secrets, siteKeyHash, `${credentialId}.${expiresS}`);
  if (!timingSafeEqual(Buffer.from(mac, "latin1"), own)) return undefined;
  const expiresAt = Number(expiresS) * SECOND_MS;
  // A token from before the clock was set back would be valid for longer than it may be.
  const isTooLong = expiresAt - now > ACCESS_TOKEN_MS_MAX + CLOCK_SKEW_MS;
  return !isTooLong && isLive({ revokedAt: null, expiresAt }, now) ? { credentialId } : undefined;
}

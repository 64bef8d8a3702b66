import { timingSafeEqual } from "node:crypto";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import type { Proof } from "../../domain/checkouts/platform.js";
import {
  mintAccessToken,
  readAccessToken,
} from "../../domain/platforms/credentials/access-token.js";
import {
  isLive,
  type PlatformCredential,
  SECRET_CHARS_MAX,
} from "../../domain/platforms/credentials/credential.js";
import {
  credentialByDigest,
  credentialById,
  digestOfCredential,
  noteUse,
} from "../../domain/platforms/credentials/store.js";
import type { Platform } from "../../domain/platforms/platform.js";
import { platformByIdentity, platformNamed } from "../../domain/platforms/store.js";
import type { Queries } from "../../infra/db/database.js";
import { webName } from "../../infra/web-name.js";

/** What a call carries in place of a signature. */
export interface SentCredential {
  readonly proof: Extract<Proof, "api_key" | "oauth">;
  /** The API key, or the access token. */
  readonly text: string;
}

const UNKNOWN: Readonly<Record<SentCredential["proof"], string>> = {
  api_key: "This API key is unknown, expired or revoked. Ask the shop for a new one.",
  oauth: "This access token is not valid, or it has expired. Get a new one at the token address.",
};
const OTHERS_PROFILE =
  "The profile in `UCP-Agent` does not belong to the platform of this credential, or " +
  "the shop has not admitted that platform.";

async function credentialOf(
  { clock, db, secrets }: Context,
  siteKeyHash: string,
  { proof, text }: SentCredential,
): Promise<PlatformCredential | undefined> {
  if (text.length > SECRET_CHARS_MAX) return undefined;
  const now = clock.now();
  if (proof === "api_key") return credentialByDigest(db, siteKeyHash, "api_key", tokenDigest(text));
  const token = readAccessToken(secrets, siteKeyHash, text, now);
  return token && credentialById(db, siteKeyHash, token.credentialId);
}

/** The entry of the owner's list that a profile belongs to. */
export async function entryOfProfile(
  db: Queries,
  siteKeyHash: string,
  profileUrl: string,
): Promise<Platform | undefined> {
  const name = webName(profileUrl);
  return name && platformNamed(db, siteKeyHash, name);
}

/**
 * The admitted platform that an API key or access token proves. The database is asked at every call, so that
 * what the owner revokes or suspends proves nothing from the next call on.
 */
export async function proveCredential(
  context: Context,
  siteKeyHash: string,
  sent: SentCredential,
  profileUrl: string,
): Promise<Result<Platform, "unauthorized">> {
  const { clock, db } = context;
  const credential = await credentialOf(context, siteKeyHash, sent);
  const now = clock.now();
  if (credential === undefined || !isLive(credential, now)) {
    return refuse("unauthorized", UNKNOWN[sent.proof]);
  }
  const entry = await entryOfProfile(db, siteKeyHash, profileUrl);
  if (entry?.identity !== credential.platform || entry.status !== "admitted") {
    return refuse("unauthorized", OTHERS_PROFILE);
  }
  await noteUse(db, credential, now);
  return ok(entry);
}

/** How an OAuth client authenticates. */
export interface ClientSecret {
  readonly clientId: string;
  readonly secret: string;
}

const CLIENT_ID = /^client_[\w-]{24}$/;

/** Compares in the same time for every secret. */
function isSecret(secret: string, digest: string | undefined): boolean {
  const own = Buffer.from(digest ?? tokenDigest(""), "latin1");
  return timingSafeEqual(Buffer.from(tokenDigest(secret), "latin1"), own) && digest !== undefined;
}

/** Exchanges the secret of an OAuth client for an access token. Nothing of the token is stored. */
export async function issueAccessToken(
  { clock, db, secrets }: Context,
  siteKeyHash: string,
  { clientId, secret }: ClientSecret,
): Promise<Result<ReturnType<typeof mintAccessToken>, "invalid_client">> {
  const wrong = refuse("invalid_client", "The client is unknown, expired or revoked.");
  if (!CLIENT_ID.test(clientId) || secret.length > SECRET_CHARS_MAX) return wrong;
  const credential = await credentialById(db, siteKeyHash, clientId);
  const digest = credential && (await digestOfCredential(db, clientId));
  if (!isSecret(secret, digest) || credential === undefined) return wrong;
  const now = clock.now();
  const entry = await platformByIdentity(db, siteKeyHash, credential.platform);
  const proves = credential.kind === "oauth_client" && isLive(credential, now);
  if (!proves || entry?.status !== "admitted") return wrong;
  await noteUse(db, credential, now);
  return ok(mintAccessToken(secrets, credential, now));
}

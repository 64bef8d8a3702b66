import {
  negotiate,
  orderWebhookUrl,
  readUcpAgent,
  UCP_CAPABILITIES,
  UCP_VERSION,
  type UcpCapability,
  type UcpRequest,
  type UcpVersion,
  verifyUcpRequest,
} from "@gatehouse/protocol";
import { entryOfProfile, type SentCredential } from "../../actions/platforms/prove-credential.js";
import type { Context } from "../../context.js";
import { type BuyingPlatform, isProven, type Proof } from "../../domain/checkouts/platform.js";
import type { Platform } from "../../domain/platforms/platform.js";
import type { Site } from "../../domain/sites/site.js";
import type { Holder } from "../../infra/quota/stored-bytes.js";
import { webName } from "../../infra/web-name.js";
import type { Caller as Client } from "../server/admission/caller.js";
import { Problem } from "../server/problem.js";
import { requireCredential } from "./credentials.js";
import { ucpProblem } from "./errors.js";
import type { PlatformProfiles } from "./platform-profiles.js";

/** The platform that calls. */
export interface Caller {
  /** The profile it names. Only a proof shows that the profile is its own. */
  readonly profileUrl: string;
  /** The version of UCP that its profile is in, and every answer to it. */
  readonly version: UcpVersion;
  /** What both the platform and the shop can do. */
  readonly capabilities: readonly UcpCapability[];
  /** How it proved that. */
  readonly proof: Proof;
  /** False only for a signature that does not say when it was made. */
  readonly dated: boolean;
  /** Where it is notified of its orders, by its profile; null if it is not. */
  readonly webhookUrl: string | null;
  /** The number of the network it calls from, for the shares of unsigned callers. */
  readonly network: string;
  /** The share of stored bytes that its rows use, if it is not that of its domain. */
  readonly holder?: Holder | undefined;
  /** Its entry in the owner's list; null if it has none, undefined where it was not looked up. */
  readonly entry?: Platform | null;
}

/** A platform that a caller names. Nothing of it is proven. */
export interface NamedPlatform extends Omit<Caller, "proof" | "dated" | "entry"> {
  readonly keys: Parameters<typeof verifyUcpRequest>[1]["keys"];
}

/** `Retry-After` for a caller that names too many profiles. */
const PROFILE_RETRY_AFTER_S = "60";

/** The profile that a `UCP-Agent` header names. */
export function profileUrlIn(header: string | undefined): string {
  const profileUrl = readUcpAgent(header);
  if (!profileUrl.ok) throw ucpProblem(profileUrl.reason, profileUrl.detail);
  return profileUrl.value;
}

/** Reads the profile that a caller names, and negotiates what the platform and the shop can both do. */
export async function negotiateWith(
  { networkShares }: Context,
  profiles: PlatformProfiles,
  header: string | undefined,
  client: Client,
): Promise<NamedPlatform> {
  const profileUrl = profileUrlIn(header);
  const profile = await profiles.get(profileUrl, client);
  if (!profile.ok) {
    const { reason, detail: message } = profile;
    if (reason !== "rate_limited") throw ucpProblem(reason, message);
    const headers = { "retry-after": PROFILE_RETRY_AFTER_S };
    throw new Problem("rate_limited", { message, headers });
  }
  return {
    profileUrl,
    version: profile.value.version,
    capabilities: negotiate(profile.value),
    keys: profile.value.keys,
    webhookUrl: orderWebhookUrl(profile.value) ?? null,
    network: networkShares.shareOf(client.prefix),
  };
}

/** Somebody who names no profile: a chat assistant, for example. */
export const unnamedCaller = ({ networkShares }: Context, client: Client): NamedPlatform => ({
  profileUrl: "",
  version: UCP_VERSION,
  capabilities: UCP_CAPABILITIES,
  keys: [],
  webhookUrl: null,
  network: networkShares.shareOf(client.prefix),
});

/** `Signature-Input` without `Signature`: the sender meant to sign. */
function isHalfSigned({ fields }: UcpRequest): boolean {
  const has = (name: string) => fields.some((field) => field.name.toLowerCase() === name);
  return has("signature-input") && !has("signature");
}

/** Checks the signature of a request. A request without one is accepted, and proves nothing. */
export async function proveCaller(
  { admission, clock }: Context,
  { keys, ...named }: NamedPlatform,
  request: UcpRequest,
  client: Client,
): Promise<Caller> {
  const signature = await verifyUcpRequest(request, { keys, now: clock.now() });
  if (signature.ok) return { ...named, proof: "signature", dated: signature.value.dated };
  if (signature.reason !== "signature_missing" || isHalfSigned(request)) {
    admission.failProof(client);
    throw ucpProblem(signature.reason, signature.detail);
  }
  return { ...named, proof: "none", dated: true };
}

/** What a call over REST brings to prove who sends it. */
interface RestProof {
  readonly request: UcpRequest;
  readonly credential: SentCredential | undefined;
}

/**
 * Proves the caller of a REST call by its API key, its access token or its signature. Whatever is sent must
 * hold: a wrong credential refuses the call, and so does a wrong signature beside a good credential.
 */
export async function proveRestCaller(
  context: Context,
  { siteKeyHash }: Site,
  platform: NamedPlatform,
  { request, credential }: RestProof,
  client: Client,
): Promise<Caller> {
  const caller = await proveCaller(context, platform, request, client);
  const { profileUrl } = platform;
  if (credential !== undefined) {
    const named = { profileUrl, client };
    const entry = await requireCredential(context, siteKeyHash, credential, named);
    return { ...caller, proof: credential.proof, dated: true, entry };
  }
  if (!isProven(caller)) return caller;
  const entry = await entryOfProfile(context.db, siteKeyHash, profileUrl);
  return { ...caller, entry: entry ?? null };
}

/** A caller whose signature is not checked. */
export const unprovenCaller = ({ keys: _, ...named }: NamedPlatform): Caller => ({
  ...named,
  proof: "none",
  dated: true,
});

/** Whose share of a site's stored bytes a caller uses. */
export function holderOf({ profileUrl, proof, network, holder }: Caller): Holder {
  if (holder !== undefined) return holder;
  if (!isProven({ proof })) return `unsigned:${network}`;
  return `signed:${webName(profileUrl)?.domain ?? profileUrl}`;
}

/** The caller as carts, checkouts and orders store it. */
export function platformOf(caller: Caller): BuyingPlatform {
  const { profileUrl: url, proof, webhookUrl, version } = caller;
  return { url, proof, webhookUrl, version, holder: holderOf(caller) };
}

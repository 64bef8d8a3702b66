import type { IncomingMessage } from "node:http";
import { type UcpCapability, type UcpRequest, verifyUcpRequest } from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import type { Holder } from "../../infra/quota/stored-bytes.js";
import { webName } from "../../infra/web-name.js";
import type { Caller as Client } from "../server/admission/caller.js";
import type { HttpEnv } from "../server/env.js";
import { UcpProblem } from "./fault.js";

/** A platform that calls, as far as it is known. */
export interface Caller {
  /** The profile it names; whether it is its own, only a signature says. */
  readonly profileUrl: string;
  /** What it and the shop can do with each other. */
  readonly capabilities: readonly UcpCapability[];
  /** The key of that profile which signed this very request; null where none did. */
  readonly keyId: string | null;
  /** Whether that says when: only such a signature is believed where money is spent. */
  readonly dated: boolean;
  /** Where it wants to hear of its orders, by its profile; null where it does not. */
  readonly webhookUrl: string | null;
  /** The number of the network it calls from, for the shares of unsigned callers. */
  readonly network: string;
  /** Whose share its rows use, where that is not the one of its own domain. */
  readonly holder?: Holder | undefined;
}

/** Whose share of a site's stored bytes a caller uses. */
export function holderOf({ profileUrl, keyId, network, holder }: Caller): Holder {
  if (holder !== undefined) return holder;
  if (keyId === null) return `unsigned:${network}`;
  return `signed:${webName(profileUrl)?.domain ?? profileUrl}`;
}

/** The request as its sender signed it: at the address this service has to the world. */
export function signedRequest(
  { method = "", rawHeaders }: Pick<IncomingMessage, "method" | "rawHeaders">,
  { target, baseUrl, body }: { target: string; baseUrl: string; body: Uint8Array },
): UcpRequest {
  const fields = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    fields.push({ name: rawHeaders[i] as string, value: rawHeaders[i + 1] as string });
  }
  return { method, url: new URL(target, baseUrl).href, fields, body };
}

/** Has `Signature-Input` without `Signature`: its sender did not mean to be anonymous. */
function isHalfSigned({ fields }: UcpRequest): boolean {
  const has = (name: string) => fields.some((field) => field.name.toLowerCase() === name);
  return has("signature-input") && !has("signature");
}

/** A platform that a caller names; nothing of it is proven. */
export interface NamedPlatform extends Omit<Caller, "keyId" | "dated"> {
  readonly keys: Parameters<typeof verifyUcpRequest>[1]["keys"];
}

/** Finds the platform that a `UCP-Agent` header names. */
interface PlatformFinder {
  platformNamed(header: string | undefined, client: Client): Promise<NamedPlatform>;
}

/** A platform that was named, and whether it proves to be that. A signature that is there must hold. */
export async function proven(
  { admission, clock }: Context,
  { keys, ...named }: NamedPlatform,
  request: UcpRequest,
  client: Client,
): Promise<Caller> {
  const signed = await verifyUcpRequest(request, { keys, now: clock.now() });
  if (signed.ok) return { ...named, ...signed.value };
  if (signed.reason !== "signature_missing" || isHalfSigned(request)) {
    admission.failProof(client);
    throw new UcpProblem(signed.reason, signed.detail);
  }
  return { ...named, keyId: null, dated: false };
}

/**
 * Who calls, by the profile named in `UCP-Agent`. A signature is not asked for here; one that comes
 * along must hold.
 */
export async function callerOf(
  context: Context,
  platforms: PlatformFinder,
  c: HonoContext<HttpEnv>,
  body: Uint8Array,
): Promise<Caller> {
  const client = c.get("caller");
  const named = await platforms.platformNamed(c.req.header("ucp-agent"), client);
  const { pathname, search } = new URL(c.req.url);
  const place = { target: pathname + search, baseUrl: context.config.baseUrl, body };
  return proven(context, named, signedRequest(c.env.incoming, place), client);
}

import { type ComponentDescriptor, isSignatureError, verifySignature } from "http-message-sig";
import { parseDictionary } from "structured-headers";
import type { JsonObject } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { CLOCK_SKEW_S } from "../time.js";
import { type AgentKey, readAgentKey } from "../web-bot-auth/key.js";
import { digestMatches } from "./content-digest.js";

const HEADER_CHARS_MAX = 4096;
const LABELS_MAX = 3;
const COMPONENTS_MAX = 16;
/** A signature that says when it was made counts for this long. */
const LIFE_S_MAX = 300;
/** The library trims values in quadratic time; nobody writes so many blanks in a row. */
const BLANKS = /[\t ]{65}/;
const ALGORITHMS = ["ecdsa-p256-sha256", "ed25519"];

/** A request as it came: the address that was asked for, its header fields in order, its body. */
export interface UcpRequest {
  readonly method: string;
  readonly url: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly body: Uint8Array;
}

export type SignatureFault =
  | ("signature_missing" | "signature_invalid" | "key_not_found")
  | ("digest_mismatch" | "algorithm_unsupported");

/** What a good signature proves. */
interface UcpSignature {
  /** The key of the caller's profile that made it. */
  readonly keyId: string;
  /** Whether it says when: one that does counts for minutes, another for ever. */
  readonly dated: boolean;
}

/** Headers that say who asks, or for what: a signature that leaves one out is not about this request. */
const COVERED_IF_THERE = ["ucp-agent", "signature-agent", "idempotency-key"];

function headerOf({ fields }: UcpRequest, name: string): string | undefined {
  const values = fields.filter((field) => field.name.toLowerCase() === name);
  return values.length === 0 ? undefined : values.map(({ value }) => value).join(", ");
}

/** What a signature must cover to be about the whole request (UCP, signatures). */
function mustCover(request: UcpRequest): readonly string[] {
  const query = new URL(request.url).search === "" ? [] : ["@query"];
  const content = request.body.length === 0 ? [] : ["content-digest", "content-type"];
  const named = COVERED_IF_THERE.filter((name) => headerOf(request, name) !== undefined);
  return ["@method", "@authority", "@path", ...query, ...content, ...named];
}

/** Made for another purpose: about who visits, and not about this request. */
const VISIT_TAG = "web-bot-auth";

/** A signature, and what it says to cover. */
interface Labelled {
  readonly label: string;
  readonly names: readonly unknown[];
}

/** Whether a signature is only about a visit: it says so, and leaves out what is asked for. */
function isOfVisit(signed: unknown, { names }: Labelled, request: UcpRequest): boolean {
  const [, parameters] = signed as [unknown, Map<string, unknown> | undefined];
  if (parameters?.get("tag") !== VISIT_TAG) return false;
  return mustCover(request).some((name) => !names.includes(name));
}

function labelled(label: string, signed: unknown): Labelled {
  const [components] = signed as [unknown];
  return { label, names: Array.isArray(components) ? components.map(([name]) => name) : [] };
}

/** The signatures that are about the request. */
function labelsIn(header: string, request: UcpRequest): readonly Labelled[] | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  try {
    const signatures = [...parseDictionary(header)];
    if (signatures.length > LABELS_MAX) return undefined;
    return signatures.flatMap(([label, signed]) => {
      const one = labelled(label, signed);
      return isOfVisit(signed, one, request) ? [] : [one];
    });
  } catch {
    return undefined;
  }
}

/** Why one signature proves nothing. */
class Unproven extends Error {
  readonly fault: SignatureFault;

  constructor(fault: SignatureFault, detail: string) {
    super(detail);
    this.fault = fault;
  }
}

function isForVerifying({ use, key_ops: operations }: JsonObject): boolean {
  if (use === "enc") return false;
  return !Array.isArray(operations) || (operations as readonly unknown[]).includes("verify");
}

/** Keys that were read, as long as the profile they stand in is kept: reading one costs as much as using it. */
const read = new WeakMap<JsonObject, ReturnType<typeof readAgentKey>>();

async function keyNamed(keys: readonly JsonObject[], kid: string | undefined): Promise<AgentKey> {
  const jwk = keys.find((key) => key.kid === kid && isForVerifying(key));
  if (jwk === undefined)
    throw new Unproven("key_not_found", "The profile has no key with this id.");
  const kept = read.get(jwk) ?? readAgentKey(jwk);
  read.set(jwk, kept);
  const key = await kept;
  if (key === undefined || !ALGORITHMS.includes(key.algorithm)) {
    throw new Unproven("algorithm_unsupported", "Sign with ES256 or EdDSA.");
  }
  return key;
}

function checkCoverage(components: readonly ComponentDescriptor[], request: UcpRequest): void {
  const plain = components
    .filter(({ parameters }) => Object.keys(parameters).length === 0)
    .map(({ name }) => name);
  const missing = mustCover(request).filter((name) => !plain.includes(name));
  if (components.length > COMPONENTS_MAX || missing.length > 0) {
    throw new Unproven("signature_invalid", `The signature must cover ${missing.join(", ")}.`);
  }
}

function checkAge(created: unknown, nowS: number): void {
  if (created === undefined) return;
  const good =
    typeof created === "number" && created <= nowS + CLOCK_SKEW_S && created >= nowS - LIFE_S_MAX;
  if (!good)
    throw new Unproven(
      "signature_invalid",
      "The signature is too old, or `created` is in the future or not a number.",
    );
}

async function verifyOne(
  request: UcpRequest,
  { label, names }: Labelled,
  { keys, nowS }: { readonly keys: readonly JsonObject[]; readonly nowS: number },
): Promise<UcpSignature> {
  const { method, url: targetUri } = request;
  // Whoever covers more than it must is held to that too.
  const needed = new Set<unknown>([
    "signature",
    "signature-input",
    ...mustCover(request),
    ...names,
  ]);
  const fields = request.fields.filter(({ name }) => needed.has(name.toLowerCase()));
  if (fields.some(({ value }) => value.length > HEADER_CHARS_MAX || BLANKS.test(value))) {
    throw new Unproven("signature_invalid", "A header is too long to be signed.");
  }
  let proven: UcpSignature = { keyId: "", dated: false };
  await verifySignature(
    { kind: "request", method, targetUri, fields },
    {
      label,
      policy: {
        algorithms: ALGORITHMS,
        requiredComponents: [],
        requiredParameters: ["keyid"],
        clockSkew: CLOCK_SKEW_S,
        now: nowS,
      },
      resolveVerifier: ({ components, parameters }) => {
        checkCoverage(components, request);
        checkAge(parameters.created, nowS);
        proven = { keyId: parameters.keyid ?? "", dated: parameters.created !== undefined };
        return keyNamed(keys, parameters.keyid);
      },
    },
  );
  return proven;
}

/**
 * Checks that a request was signed with a key of the caller's profile (RFC 9421, with what UCP has a
 * signature cover). One good signature is enough.
 *
 * @example
 * const request = { method: "GET", url: "https://gate.example.com/", fields: [], body: new Uint8Array() };
 * (await verifyUcpRequest(request, { keys: [], now: Date.now() })).reason; //=> "signature_missing"
 */
export async function verifyUcpRequest(
  request: UcpRequest,
  { keys, now }: { readonly keys: readonly JsonObject[]; readonly now: number },
): Promise<Result<UcpSignature, SignatureFault>> {
  const input = headerOf(request, "signature-input");
  if (input === undefined) return refuse("signature_missing", "The request is not signed.");
  if (headerOf(request, "signature") === undefined) {
    return refuse("signature_missing", "`Signature-Input` came without `Signature`.");
  }
  const labels = labelsIn(input, request);
  if (labels?.length === 0) {
    return refuse("signature_missing", "The request is not signed for UCP.");
  }
  if (labels === undefined) {
    return refuse("signature_invalid", "`Signature-Input` cannot be read.");
  }
  const digest = headerOf(request, "content-digest");
  if (digest !== undefined && !(await digestMatches(digest, request.body))) {
    return refuse("digest_mismatch", "`Content-Digest` is not the SHA-256 of the body.");
  }
  let fault: Unproven | undefined;
  for (const signature of labels) {
    try {
      return ok(await verifyOne(request, signature, { keys, nowS: Math.floor(now / 1000) }));
    } catch (error) {
      if (error instanceof Unproven) fault ??= error;
      else if (!isSignatureError(error)) throw error;
      // Whatever else the library finds wrong with a header, the signature proves nothing.
      else if (error.cause instanceof Unproven) fault ??= error.cause;
    }
  }
  return fault === undefined
    ? refuse("signature_invalid", "No signature of the request verifies.")
    : refuse(fault.fault, fault.message);
}

import {
  type ComponentDescriptor,
  isSignatureError,
  type RequestDescriptor,
  verifySignature,
} from "http-message-sig";
import { parseDictionary } from "structured-headers";
import { CLOCK_SKEW_S, DAY_S } from "../time.js";
import { type AgentKey, PAGE_ALGORITHMS } from "./key.js";
import { keySourceUrl, readSignatureAgent, type SignatureAgent } from "./signature-agent.js";

/** Longest header a signature may cover, or be in. */
const HEADER_CHARS_MAX = 4096;
/** Signatures of a request, and what one of them may cover: whoever needs more is up to something. */
const LABELS_MAX = 3;
const COMPONENTS_MAX = 16;
/** The library trims values in quadratic time; nobody writes so many blanks in a row. */
const BLANKS = /[\t ]{65}/;
/** Visa's Trusted Agent Protocol gives its signatures eight minutes. */
const TAP_LIFE_S = 480;

/** How long a signature of each tag may live, and what it must cover besides the host. */
const TAGS: ReadonlyMap<string, { readonly lifeS: number; readonly path: boolean }> = new Map([
  ["web-bot-auth", { lifeS: DAY_S, path: false }],
  ["agent-browser-auth", { lifeS: TAP_LIFE_S, path: true }],
  ["agent-payer-auth", { lifeS: TAP_LIFE_S, path: true }],
]);

/** Keys printed in drafts: whoever signs with one has proven nothing. */
const PUBLISHED_KEYS: ReadonlySet<string> = new Set([
  "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
]);

/** A page request as it came: the address the client asked for, and its header fields in order. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** Looking a key up can end without one: the source has none such, or could not be asked. */
export type FoundKey = AgentKey | "unknown_key" | "not_reachable";

export interface WebBotAuthOptions {
  /** Milliseconds. */
  readonly now: number;
  /** The key of a source by its thumbprint; a key is an agent's only together with its source. */
  findKey(source: string | undefined, thumbprint: string): Promise<FoundKey>;
  /** For tests with published keys. */
  readonly allowPublishedKeys?: boolean;
  /** Seconds a signature may live, where a day is not what is wanted. */
  readonly lifeMaxS?: number;
}

/** What a request's signatures are worth. A page is served whatever it says. */
export interface WebBotAuthVerdict {
  readonly outcome: "unsigned" | "verified" | "invalid" | "unverified";
  /** Why not, in a word; of a verified one, nothing. */
  readonly reason?: string;
  readonly agentUrl?: string;
  readonly keyId?: string;
  readonly tag?: string;
}

const OF_SIGNATURES = ["signature", "signature-input", "signature-agent"];

/**
 * The fields a signature needs, and no other: what a stranger adds besides costs nothing. Undefined
 * where one of them is too long, or made to be slow.
 */
function fieldsFor(
  { fields }: SignedRequest,
  covered: readonly string[],
): SignedRequest["fields"] | undefined {
  const needed = new Set([...OF_SIGNATURES, ...covered]);
  const chosen = fields.filter(({ name }) => needed.has(name.toLowerCase()));
  const bearable = chosen.every(
    ({ value }) => value.length <= HEADER_CHARS_MAX && !BLANKS.test(value),
  );
  return bearable ? chosen : undefined;
}

function fieldOf({ fields }: SignedRequest, name: string): string | undefined {
  const values = fields.filter((field) => field.name.toLowerCase() === name);
  return values.length === 0 ? undefined : values.map(({ value }) => value).join(", ");
}

/** A signature that is about agents, as its header announces it: nothing of it is proven. */
interface Announced {
  readonly label: string;
  readonly tag: string;
  readonly created: unknown;
  readonly expires: unknown;
  /** Names of what it covers. */
  readonly covered: readonly string[];
}

/** What a component of a signature is called; the empty text for what is none. */
function nameOf(component: unknown): string {
  const [name] = Array.isArray(component) ? component : [];
  return typeof name === "string" ? name : "";
}

/** The signatures of a header that are about agents; undefined for an unreadable one. */
function announcedIn(header: string): readonly Announced[] | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  try {
    const members = [...parseDictionary(header)];
    if (members.length > LABELS_MAX) return undefined;
    return members.flatMap(([label, [value, parameters]]) => {
      const tag = parameters.get("tag");
      if (typeof tag !== "string" || !TAGS.has(tag)) return [];
      const times = { created: parameters.get("created"), expires: parameters.get("expires") };
      return [{ label, tag, ...times, covered: Array.isArray(value) ? value.map(nameOf) : [] }];
    });
  } catch {
    return undefined;
  }
}

/** The member of Signature-Agent that a signature covers, and so speaks for. */
function agentOf(
  components: readonly ComponentDescriptor[],
  agents: readonly SignatureAgent[],
): SignatureAgent | undefined {
  const covered = components.filter(({ name }) => name === "signature-agent");
  return agents.find(({ label }) =>
    covered.some(({ parameters }) => (parameters.key ?? null) === label),
  );
}

function coversEnough(components: readonly ComponentDescriptor[], tag: string): boolean {
  const names = components
    .filter(({ parameters }) => Object.keys(parameters).length === 0)
    .map(({ name }) => name);
  const host = names.includes("@authority") || names.includes("@target-uri");
  const path = names.includes("@path") || names.includes("@target-uri");
  return host && (path || TAGS.get(tag)?.path !== true);
}

/** Thrown and caught in this file only: why a signature is not verified. */
class Unproven extends Error {
  readonly outcome: "invalid" | "unverified";
  constructor(outcome: "invalid" | "unverified", reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}

interface Candidate extends Announced {
  readonly agents: readonly SignatureAgent[] | undefined;
}

/** Before anything else, so that an owner reads what is wrong and not that something is. */
function checkTimes(
  { tag, created, expires }: Announced,
  { now, lifeMaxS }: WebBotAuthOptions,
): void {
  if (typeof created !== "number" || typeof expires !== "number") {
    throw new Unproven("invalid", "no_times");
  }
  if (created > now / 1000 + CLOCK_SKEW_S) throw new Unproven("invalid", "in_the_future");
  if (expires < now / 1000) throw new Unproven("invalid", "expired");
  const lifeS = lifeMaxS ?? TAGS.get(tag)?.lifeS ?? DAY_S;
  if (expires <= created || expires - created > lifeS)
    throw new Unproven("invalid", "lives_too_long");
}

async function verifyOne(
  request: SignedRequest,
  candidate: Candidate,
  options: WebBotAuthOptions,
): Promise<WebBotAuthVerdict> {
  const { label, tag, agents } = candidate;
  let agentUrl: string | undefined;
  let keyId: string | undefined;
  const claims = () => ({
    tag,
    ...(agentUrl === undefined ? {} : { agentUrl }),
    ...(keyId === undefined ? {} : { keyId }),
  });
  try {
    if (candidate.covered.length > COMPONENTS_MAX) throw new Unproven("invalid", "covers_too_much");
    const fields = fieldsFor(request, candidate.covered);
    if (fields === undefined) throw new Unproven("invalid", "malformed");
    checkTimes(candidate, options);
    const { method, url: targetUri } = request;
    const message: RequestDescriptor = { kind: "request", method, targetUri, fields };
    await verifySignature(message, {
      label,
      policy: {
        algorithms: PAGE_ALGORITHMS,
        requiredComponents: [],
        requiredParameters: ["created", "expires", "keyid", "tag"],
        clockSkew: CLOCK_SKEW_S,
        now: Math.floor(options.now / 1000),
      },
      resolveVerifier: async ({ components, parameters }) => {
        keyId = parameters.keyid ?? "";
        if (!coversEnough(components, tag)) throw new Unproven("invalid", "covers_too_little");
        const agent = agents === undefined ? undefined : agentOf(components, agents);
        if (agents !== undefined && agent === undefined) {
          throw new Unproven("invalid", "signature_agent_not_covered");
        }
        const source = agent === undefined ? undefined : keySourceUrl(agent);
        if (source !== undefined && !source.ok)
          throw new Unproven("invalid", "bad_signature_agent");
        agentUrl = source?.value;
        if (PUBLISHED_KEYS.has(keyId) && options.allowPublishedKeys !== true) {
          throw new Unproven("invalid", "published_key");
        }
        const directoryKey = await options.findKey(agentUrl, keyId);
        if (typeof directoryKey === "string") throw new Unproven("unverified", directoryKey);
        if (directoryKey.thumbprint !== keyId) throw new Unproven("unverified", "unknown_key");
        return directoryKey;
      },
    });
    return { outcome: "verified", ...claims() };
  } catch (error) {
    return { ...verdictOf(error), ...claims() };
  }
}

/** `VerificationFailed` as all reasons are written. */
function asWord(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();
}

function verdictOf(error: unknown): Pick<WebBotAuthVerdict, "reason"> & {
  readonly outcome: "invalid" | "unverified";
} {
  const cause = isSignatureError(error) ? (error.cause ?? error) : error;
  if (cause instanceof Unproven) return { outcome: cause.outcome, reason: cause.message };
  // The key could not be used: nothing is known of the signature.
  if (isSignatureError(error) && error.code !== "ResolverFailed") {
    return { outcome: "invalid", reason: asWord(error.code) };
  }
  return { outcome: "unverified", reason: "not_checked" };
}

/**
 * Checks the signatures an agent attaches to a page request (RFC 9421 with the profile of Web Bot
 * Auth). Never throws. One verified signature makes the request verified; else one invalid one makes
 * it invalid.
 *
 * @example
 * const request = { method: "GET", url: "https://shop.example.com/", fields: [] };
 * const options = { now: Date.now(), findKey: async () => "unknown_key" };
 * (await verifyWebBotAuth(request, options)).outcome; //=> "unsigned"
 */
export async function verifyWebBotAuth(
  request: SignedRequest,
  options: WebBotAuthOptions,
): Promise<WebBotAuthVerdict> {
  const input = fieldOf(request, "signature-input");
  if (input === undefined) return { outcome: "unsigned" };
  const announced = announcedIn(input);
  if (announced === undefined) return { outcome: "invalid", reason: "malformed" };
  if (announced.length === 0) return { outcome: "unsigned" };
  const header = fieldOf(request, "signature-agent");
  const agents = header === undefined ? undefined : readSignatureAgent(header);
  if (agents !== undefined && !agents.ok) {
    return { outcome: "invalid", reason: "bad_signature_agent" };
  }
  const verdicts: WebBotAuthVerdict[] = [];
  for (const one of announced) {
    const verdict = await verifyOne(request, { ...one, agents: agents?.value }, options);
    if (verdict.outcome === "verified") return verdict;
    verdicts.push(verdict);
  }
  const invalid = verdicts.find(({ outcome }) => outcome === "invalid");
  return invalid ?? (verdicts[0] as WebBotAuthVerdict);
}

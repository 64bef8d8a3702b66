import {
  canonicalize,
  GET_ORDER,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  OPEN_SKILLS,
  readCompletion,
  renderUcp,
  UCP_CAPABILITIES,
  type UcpRequest,
  utf8,
} from "@gatehouse/protocol";
import { checkoutNamed } from "../../actions/checkout/price-checkout.js";
import { progressOf } from "../../actions/checkout/progress.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller as Client } from "../server/admission/caller.js";
import { negotiateWith, proveCaller, unnamedCaller, unprovenCaller } from "./caller.js";
import { checkoutBody } from "./checkout-body.js";
import { codeOf, invalid, problemAnswer, refusalIn, ucpProblem } from "./errors.js";
import { OPERATIONS, performOperation } from "./perform.js";
import type { PlatformProfiles } from "./platform-profiles.js";

/** What a tool calls the payload of its operation: `catalog`, `cart` or `checkout`. */
function payloadName(tool: string): "catalog" | "cart" | "checkout" {
  if (tool.endsWith("_cart")) return "cart";
  return tool.endsWith("_checkout") ? "checkout" : "catalog";
}

/** Calls that must not be repeated by mistake: UCP requires a key with them. */
const KEYED = ["complete_checkout", "cancel_checkout", "cancel_cart"];

const PROFILE_IN_META = '{"ucp-agent": {"profile": "https://…"}}';
const NO_PROFILE =
  `The call has no profile of a platform. Add it in \`meta\`: ${PROFILE_IN_META}. Without a profile, use ` +
  "`create_cart`: its `continue_url` is the page where a person can order and pay.";
const NEITHER_MANDATE_NOR_PROFILE =
  "The call has no mandate and no profile of a platform. If you are the agent that placed the order, add `mandate`, " +
  "signed with the same key for the skill `get_order`. If you are a platform, add your profile in `meta`, " +
  `${PROFILE_IN_META}, and sign the request.`;
const NOT_A_PROFILE = "`meta.ucp-agent.profile` must be the https address of your profile.";

interface ToolArguments {
  /** As the header `UCP-Agent` would have it; undefined for a caller that names no profile. */
  readonly agent: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly id: string;
  readonly body: JsonObject;
}

/** Arguments beside the payload; each is repeated to the caller only if it is a plain name. */
const BESIDE = ["meta", "mandate"];
const PLAIN_NAME = /^\w{1,40}$/;

/** Says where an argument belongs that was sent beside the payload instead of in it. */
function checkPlaced(tool: string, name: string, args: JsonObject): void {
  const ofCatalog = name === "catalog" && tool !== GET_ORDER;
  if (args[name] !== undefined || !(ofCatalog || /^(?:create|update)_/.test(tool))) return;
  const beside = ofCatalog ? BESIDE : [...BESIDE, "id"];
  const stray = Object.keys(args).find((one) => !beside.includes(one) && PLAIN_NAME.test(one));
  if (stray === undefined) return;
  throw invalid(`\`${stray}\` belongs in \`${name}\`: send {"${name}": {"${stray}": …}}.`);
}

/** `{meta, id?, catalog | cart | checkout}`, by UCP's MCP binding. */
function readArguments(tool: string, args: JsonValue): ToolArguments {
  if (!isJsonObject(args)) throw invalid("`arguments` must be an object.");
  const meta = isJsonObject(args.meta) ? args.meta : {};
  const profile = isJsonObject(meta["ucp-agent"]) ? meta["ucp-agent"].profile : undefined;
  // The header has it as a quoted text, in which these two characters would end or hide something.
  const isPlain = typeof profile === "string" && !/["\\]/.test(profile);
  const key = meta["idempotency-key"];
  if (key !== undefined && typeof key !== "string") {
    throw invalid("`meta.idempotency-key` must be a string.");
  }
  const isUnnamed = profile === undefined && OPEN_SKILLS.includes(tool);
  if (key === undefined && !isUnnamed && KEYED.includes(tool)) {
    throw invalid("Send `meta.idempotency-key`, with a new UUID for every new request.");
  }
  if (!isPlain && !isUnnamed) {
    const missing = tool === GET_ORDER ? NEITHER_MANDATE_NOR_PROFILE : NO_PROFILE;
    throw ucpProblem("invalid_profile_url", profile === undefined ? missing : NOT_A_PROFILE);
  }
  const name = payloadName(tool);
  checkPlaced(tool, name, args);
  const body = args[name] ?? {};
  if (!isJsonObject(body)) throw invalid(`\`${name}\` must be an object.`);
  const id = typeof args.id === "string" ? args.id : "";
  // All callers without a profile are one to the shop: the key of one must not show the cart of another.
  if (isUnnamed) return { agent: undefined, idempotencyKey: undefined, id, body };
  return { agent: `profile="${profile}"`, idempotencyKey: key, id, body };
}

/** A call of one of the shop's tools. */
interface ToolCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly requestId: string;
  readonly client: Client;
  /** The request it came in, which may be signed. */
  request(): UcpRequest;
}

/** UCP over MCP: its second transport, which calls the same operations. */
export class McpShopTools {
  private readonly context: Context;
  private readonly profiles: PlatformProfiles;

  constructor(context: Context, profiles: PlatformProfiles) {
    this.context = context;
    this.profiles = profiles;
  }

  /** The body of the operation's answer, or why the call did not reach the shop. */
  async call(site: Site, call: ToolCall) {
    try {
      return { kind: "answered", body: await this.perform(site, call) } as const;
    } catch (error) {
      const refusal = refusalIn(error);
      const { message, headers } = refusal;
      const { status } = problemAnswer(refusal);
      return { kind: "refused", code: codeOf(refusal), status, message, headers } as const;
    }
  }

  private async perform(site: Site, call: ToolCall): Promise<JsonObject> {
    const { context, profiles } = this;
    const { tool, args, requestId, client, request } = call;
    const operation = OPERATIONS.find(({ name }) => name === tool);
    if (operation === undefined) throw new Error(`no operation is called ${tool}`);
    const { agent, id, body, idempotencyKey = context.ids.id("once") } = readArguments(tool, args);
    const platform =
      agent === undefined
        ? unnamedCaller(context, client)
        : await negotiateWith(context, profiles, agent, client);
    // A mandate proves who pays over MCP. So what is made here does not belong to signed callers,
    // even if the request is signed.
    const caller =
      operation.proof === "always"
        ? await proveCaller(context, platform, request(), client)
        : unprovenCaller(platform);
    const path = `${tool} ${id}`;
    const bytes = utf8(canonicalize(body));
    const received = { site, caller, id, body, requestId, client, idempotencyKey, path, bytes };
    return (await performOperation(context, operation, received)).body;
  }

  /** The checkout that a mandate pays for, as its platform sees it; undefined if there is none. */
  async checkoutOfMandate(site: Site, args: JsonObject): Promise<JsonObject | undefined> {
    const { context } = this;
    const { db, keys } = context;
    const completion = readCompletion(args, site.provider);
    const checkout = await checkoutNamed(db, site.siteKeyHash, completion);
    if (checkout === undefined) return undefined;
    const viewer = { site, signer: await keys.signer("card"), capabilities: UCP_CAPABILITIES };
    const progress = await progressOf(db, checkout);
    const body = await checkoutBody(context, db, viewer, { checkout, progress });
    return renderUcp(checkout.platform.version, body);
  }
}

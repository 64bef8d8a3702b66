import { isShopSkill } from "../discovery/shop-skills.js";
import type { LiveSkill } from "../discovery/skills.js";
import type { SiteSnapshot } from "../discovery/snapshot.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { shopTool } from "./shop-tools.js";

const QUESTION_CHARS_MAX = 500;

const LINK_INPUT: JsonObject = {
  type: "object",
  properties: {
    question: {
      type: "string",
      maxLength: QUESTION_CHARS_MAX,
      description:
        "What the person wants to know, in their own words. The owner of the site can read it. Leave out " +
        "names, addresses and other personal data.",
    },
  },
  additionalProperties: false,
};

/** Without a `format` for `url`: the validators of many clients know none, and warn of it or refuse the tool. */
const LINK_OUTPUT: JsonObject = {
  type: "object",
  properties: {
    skill: { type: "string" },
    title: { type: "string" },
    url: { type: "string" },
    message: { type: "string" },
    answer: {
      type: "string",
      description: "The owner's answer to the question, if the owner has published one.",
    },
    outcome: {
      type: "string",
      description:
        "Only for a call with a mandate: the decision. The other members of the decision are members of this object too.",
    },
  },
  required: ["skill", "title", "url", "message"],
};

function linkTool({ id, title, description }: LiveSkill): JsonObject {
  return {
    name: id,
    title,
    description,
    inputSchema: LINK_INPUT,
    outputSchema: LINK_OUTPUT,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

const ORDER_INPUT: JsonObject = {
  type: "object",
  properties: {
    items: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      description: "The products to buy, each once.",
      items: {
        type: "object",
        properties: {
          id: { type: "string", description: "The product's id." },
          quantity: { type: "integer", minimum: 1, maximum: 1000 },
        },
        required: ["id", "quantity"],
        additionalProperties: false,
      },
    },
    mandate: {
      type: "object",
      description:
        "The signed mandate, {signed, envelope}, for exactly these items. Without it, the result says " +
        "what to sign. You can send it in _meta as dev.gatehouse/mandate instead.",
      properties: { signed: { type: "object" }, envelope: { type: "object" } },
      required: ["signed", "envelope"],
      additionalProperties: false,
    },
  },
  required: ["items"],
  additionalProperties: false,
};

const TEXT: JsonObject = { type: "string" };

/** One shape for whatever a mandate comes to: what its endpoint answers, or what is still missing. */
const MANDATE_OUTPUT: JsonObject = {
  type: "object",
  properties: {
    outcome: {
      type: "string",
      enum: [
        "approved",
        "escalated",
        "rejected",
        "rate_limited",
        "unavailable",
        "mandate_required",
      ],
    },
    mandate_id: TEXT,
    record_id: TEXT,
    evaluated_at: TEXT,
    rules_evaluated: { type: "integer" },
    escalation_id: TEXT,
    evaluated_rule_id: TEXT,
    expires_at: TEXT,
    status_url: TEXT,
    reason: TEXT,
    reason_code: TEXT,
    message: TEXT,
    docs_url: TEXT,
    retry_after_seconds: { type: "integer" },
    sign: { type: "object", description: "What to sign, if the call had no mandate." },
  },
  required: ["outcome"],
};

function orderTool({ id, title, description }: LiveSkill): JsonObject {
  return {
    name: id,
    title,
    description,
    inputSchema: ORDER_INPUT,
    outputSchema: MANDATE_OUTPUT,
    annotations: {
      title,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

/**
 * The site's skills as MCP tools, in the card's order.
 *
 * @example
 * mcpTools(EXAMPLE_SITE).map((tool) => tool.name); //=> ["get_pricing", "track_delivery"]
 */
export function mcpTools(site: SiteSnapshot): readonly JsonObject[] {
  return site.skills.map((skill) => {
    if (isShopSkill(skill.id)) return shopTool(skill);
    return skill.requiresMandate ? orderTool(skill) : linkTool(skill);
  });
}

/**
 * What a model is told of the server before it sees its tools.
 *
 * @example
 * mcpInstructions(EXAMPLE_SITE).startsWith("Tools of shop.example.com (Fern & Petal)"); //=> true
 */
export function mcpInstructions({ domain, name, summary, skills }: SiteSnapshot): string {
  const buys = skills.filter(({ requiresMandate }) => requiresMandate).map(({ id }) => id);
  const sells = skills.some(({ id }) => isShopSkill(id));
  return [
    `Tools of ${domain} (${name}), offered to agents by its owner. ${summary}`,
    "A link tool returns a page of the site to open. It buys nothing. The owner can read the question you send " +
      "with it, and may publish an answer: ask again later to get it.",
    ...(sells ? ["The tools for the catalog, carts and checkouts follow UCP."] : []),
    ...(buys.length === 0 ? [] : [`These tools buy, with a signed mandate: ${buys.join(", ")}.`]),
  ].join(" ");
}

/**
 * The arguments of a link tool: a question, or nothing. Everything else is refused, so that an
 * agent does not believe that something it sent was heard.
 *
 * @example
 * readLinkArguments({ question: "For ten people?" }).ok; //=> true
 * readLinkArguments({ budget: 5 }).detail; //=> "the only argument is `question`"
 */
export function readLinkArguments(sent: JsonValue): Result<JsonObject, "invalid_arguments"> {
  if (!isJsonObject(sent)) return refuse("invalid_arguments", "`arguments` must be an object");
  const { question, ...others } = sent;
  if (Object.keys(others).length > 0) {
    return refuse("invalid_arguments", "the only argument is `question`");
  }
  if (question === undefined) return ok(sent);
  if (typeof question !== "string") {
    return refuse("invalid_arguments", "`question` must be a string");
  }
  if (question.length > QUESTION_CHARS_MAX && [...question].length > QUESTION_CHARS_MAX) {
    return refuse(
      "invalid_arguments",
      `\`question\` has more than ${QUESTION_CHARS_MAX} characters`,
    );
  }
  return ok(sent);
}

/**
 * What a link tool answers, as a `tools/call` result. `answer` is what the owner has published for the question
 * of the call.
 *
 * @example
 * const [pricing] = EXAMPLE_SITE.skills;
 * linkResult(pricing, EXAMPLE_SITE).structuredContent.url; //=> "https://shop.example.com/prices"
 * linkResult(pricing, EXAMPLE_SITE, "Yes.").content[0].text.split("\n")[0]; //=> "Yes."
 */
export function linkResult(skill: LiveSkill, site: SiteSnapshot, answer?: string): JsonObject {
  const { id, title, description, url = "" } = skill;
  const message = `${title} at ${site.name}: ${url}`;
  return {
    content: [
      { type: "text", text: answer === undefined ? message : `${answer}\n\n${message}` },
      { type: "resource_link", uri: url, name: id, title, description },
    ],
    structuredContent: {
      skill: id,
      title,
      url,
      message,
      ...(answer === undefined ? {} : { answer }),
    },
    isError: false,
  };
}

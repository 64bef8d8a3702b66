import { hash } from "node:crypto";
import {
  canonicalize,
  isShopSkill,
  type JsonObject,
  type JsonValue,
  type LiveSkill,
  linkResult,
  mcpTools,
  readLinkArguments,
  type SiteSnapshot,
} from "@gatehouse/protocol";
import { plainQuestion } from "../../domain/questions/question.js";

/** `answered` and `error`: the tool was called. `refused` and `rate_limited`: it was not. */
export type ToolOutcome = "answered" | "error" | "refused" | "rate_limited";

export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** Why the tool was not called. */
  readonly reason?: string;
  /** The result as canonical JSON, without its braces: a revision of MCP may add members. */
  readonly members: string;
  /** SHA-256 of the canonical result, in hex. */
  readonly digest: string;
  /** The question of the call, on one line; absent if it has none. */
  readonly question?: string;
}

/** Looks for the answer that the owner published to a question. */
type AnswerLookup = (question: string) => Promise<string | undefined>;

/** The caller as it describes itself; none of it is proven. */
export interface CallingClient {
  /** The network it came from. */
  readonly address: string;
  readonly session?: string | undefined;
  /** The name it gives itself; may be empty. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** One `tools/call`, as it was read from the wire. */
export interface ToolCall {
  readonly siteKeyHash: string;
  readonly requestId: string;
  /** The tool's name as it was sent, of any type. */
  readonly name: JsonValue | undefined;
  /** Whether the site has a tool of that name. */
  readonly isKnown: boolean;
  readonly args: JsonValue;
  /** The revision of the protocol it came by. */
  readonly revision: string;
  readonly client: CallingClient;
}

export interface PlainTool {
  readonly kind: "plain";
  readonly definition: JsonObject;
  /**
   * Whether its skill is known to have no published answer. Publishing one changes the site, and a changed
   * site has new tools.
   */
  readonly seen: { hasNoAnswers: boolean };
  call(args: JsonValue, answerTo: AnswerLookup): ToolResult | Promise<ToolResult>;
}

/** A tool that moves money. It needs a mandate that is signed for the call. */
interface MandateTool {
  readonly kind: "mandate";
  readonly definition: JsonObject;
}

/** One of UCP's operations. */
export interface ShopTool {
  readonly kind: "shop";
  readonly definition: JsonObject;
  /** Its name in UCP. */
  readonly operation: string;
}

export type Tool = PlainTool | MandateTool | ShopTool;

/** SHA-256 of a value's canonical text, in hex. */
export function digestOf(value: JsonValue): string {
  return hash("sha256", canonicalize(value), "hex");
}

export function toolResult(result: JsonObject, outcome: ToolOutcome, reason?: string): ToolResult {
  const text = canonicalize(result);
  const digest = hash("sha256", text, "hex");
  const answer = { outcome, members: text.slice(1, -1), digest };
  return Object.freeze(reason === undefined ? answer : { ...answer, reason });
}

/** Invalid arguments are answered as a result, so that a model reads it and corrects itself. */
function refusedArguments(detail: string): ToolResult {
  const text = `The tool was not called: ${detail}. See its input schema.`;
  const result = { content: [{ type: "text", text }], isError: true };
  return toolResult(result, "refused", "invalid_arguments");
}

function linkTool(skill: LiveSkill, definition: JsonObject, site: SiteSnapshot): PlainTool {
  const answered = toolResult(linkResult(skill, site), "answered");
  return {
    kind: "plain",
    definition,
    seen: { hasNoAnswers: false },
    async call(args, answerTo) {
      const read = readLinkArguments(args);
      if (!read.ok) return refusedArguments(read.detail);
      const question = plainQuestion(String(read.value.question ?? ""));
      if (question === undefined) return answered;
      const answer = await answerTo(question);
      if (answer === undefined) return { ...answered, question };
      return { ...toolResult(linkResult(skill, site, answer), "answered"), question };
    },
  };
}

/** The tools of a site: its live skills, in the order all its documents list them. */
export function toolsOf(site: SiteSnapshot): readonly Tool[] {
  const definitions = mcpTools(site);
  return site.skills.map((skill, i) => {
    const definition = definitions[i] as JsonObject;
    if (skill.requiresMandate) return { kind: "mandate", definition };
    if (isShopSkill(skill.id)) return { kind: "shop", definition, operation: skill.id };
    return linkTool(skill, definition, site);
  });
}

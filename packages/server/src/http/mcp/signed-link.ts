import {
  FULL_OFFER,
  isShopSkill,
  isSkillId,
  type JsonObject,
  type JsonValue,
  linkResult,
  movesMoney,
} from "@gatehouse/protocol";
import { snapshotOf } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";

/**
 * Whether a mandate for a skill is decided when a call carries it. For a tool of UCP that does not pay, it
 * only proves who calls.
 */
export function decidesMandate(skill: string): boolean {
  return movesMoney(skill) || (isSkillId(skill) && !isShopSkill(skill));
}

/** The text and the members that a result has. */
interface ResultParts {
  readonly content: JsonObject;
  readonly shown?: JsonValue | undefined;
}

/**
 * The answer to the mandate of a call of a link tool. It has the members of the tool's result too, because MCP
 * requires that a result has the shape that its tool declares. Without such a tool, it is the answer alone.
 */
export function withLink(
  { site, baseUrl }: { readonly site: Site; readonly baseUrl: string },
  skill: string,
  body: JsonObject,
): ResultParts {
  const snapshot = snapshotOf(site, baseUrl, FULL_OFFER);
  const live = snapshot.skills.find(({ id }) => id === skill);
  if (live?.url === undefined) return { content: { ...body } };
  const answer = typeof body.answer === "string" ? body.answer : undefined;
  const { content: shown, structuredContent } = linkResult(live, snapshot, answer);
  const content = { ...(structuredContent as JsonObject), ...body };
  return body.outcome === "approved" ? { content, shown } : { content };
}

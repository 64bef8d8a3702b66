import {
  builtInSkill,
  isSkillId,
  ok,
  RESERVED_SKILLS,
  type Result,
  readSkillUrl,
  refuse,
  type SkillSetting,
} from "@gatehouse/protocol";

/** The only reserved skill that an owner can switch on. The others come with checkout. */
const OWNERS_CHOICE = "place_order";

function readSkill(skill: SkillSetting): Result<SkillSetting, "invalid_request"> {
  const bad = (detail: string) => refuse("invalid_request", `${detail}.`);
  if (!isSkillId(skill.id)) {
    return bad(
      "id: must begin with a letter from a to z, followed by up to 63 characters: a to z, 0 to 9 and _",
    );
  }
  if (RESERVED_SKILLS.includes(skill.id)) {
    if (skill.id !== OWNERS_CHOICE)
      return bad("id: this skill is turned on and off with the checkout");
    if (skill.url !== undefined) return bad(`url: ${OWNERS_CHOICE} cannot have a URL`);
    return ok(skill);
  }
  if (skill.url === undefined) return ok(skill);
  const url = readSkillUrl(skill.url);
  return url.ok ? ok({ ...skill, url: url.value }) : bad(`url: ${url.detail}`);
}

/** Checks a list of skills. A refusal names the position of the first wrong one. */
export function readSkills(
  skills: readonly SkillSetting[],
): Result<readonly SkillSetting[], "invalid_request"> {
  const seen = new Set<string>();
  const read: SkillSetting[] = [];
  for (const [place, skill] of skills.entries()) {
    const one = readSkill(skill);
    if (!one.ok) return refuse("invalid_request", `skills.${place}.${one.detail}`);
    if (seen.has(skill.id)) {
      return refuse("invalid_request", `skills.${place}.id: is in the list twice.`);
    }
    seen.add(skill.id);
    read.push(Object.freeze(one.value));
  }
  return ok(Object.freeze(read));
}

/** Whether a site has a skill of this name, live or not. */
export function hasSkill(skills: readonly SkillSetting[], id: string): boolean {
  return builtInSkill(id) !== undefined || skills.some((skill) => skill.id === id);
}

/** Names in one message. A site can have many more. */
const NAMES_MAX = 10;

/**
 * What a site offers, for callers that asked for something else.
 *
 * @example
 * liveNames(["get_pricing", "sign_up"]); //=> "Live now: get_pricing, sign_up."
 */
export function liveNames(names: readonly string[]): string {
  if (names.length === 0) return "Nothing is live now.";
  const more = names.length > NAMES_MAX ? `, and ${names.length - NAMES_MAX} more` : "";
  return `Live now: ${names.slice(0, NAMES_MAX).join(", ")}${more}.`;
}

import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";
import { builtInSkill, movesMoney, RESERVED_SKILLS } from "./built-in-skills.js";
import { isOffered, NO_OFFER } from "./offer.js";
import { SHOP_SKILLS } from "./shop-skills.js";

/** A skill as the owner set it. What is left out comes from the table, or from the id. */
export interface SkillSetting {
  readonly id: string;
  readonly enabled: boolean;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** A skill agents can use now; the same on card, catalog, llms.txt, agent page and MCP. */
export interface LiveSkill {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The page the skill answers with; absent for skills that do more than answer with a link. */
  readonly url?: string;
  readonly requiresMandate: boolean;
  /** What somebody might ask that this skill answers. */
  readonly question: string;
}

export const SKILLS_MAX = 50;
export const SKILL_TITLE_CHARS_MAX = 80;
export const SKILL_DESCRIPTION_CHARS_MAX = 300;
export const SKILL_URL_CHARS_MAX = 2048;

/** IPv4 addresses, and names that mean something else on every machine. */
const NOT_PUBLIC = /^[\d.]+$|(?:^|\.)(?:localhost|local|internal)\.?$/;
const ID = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Whether a text can name a skill; the id is the name of its MCP tool too.
 *
 * @example
 * isSkillId("track_order"); //=> true
 * isSkillId("Track order"); //=> false
 */
export function isSkillId(text: string): boolean {
  return ID.test(text);
}

/**
 * The page a skill leads to, in the one spelling all documents use. Only https, and no
 * credentials: agents would send them along.
 *
 * @example
 * readSkillUrl("https://Shop.example.com/prices").value; //=> "https://shop.example.com/prices"
 * readSkillUrl("javascript:alert(1)").reason; //=> "not_https"
 */
export function readSkillUrl(
  text: string,
): Result<string, "malformed" | "not_https" | "not_public" | "has_credentials" | "too_long"> {
  const url = parseUrl(text);
  if (url === undefined) {
    return refuse("malformed", "must be a complete address that begins with https://");
  }
  if (url.protocol !== "https:") return refuse("not_https", "must begin with https://");
  if (!url.hostname.includes(".") || NOT_PUBLIC.test(url.hostname)) {
    return refuse("not_public", "must name a public host, such as shop.example.com");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("has_credentials", "must not contain a user name or password");
  }
  if (url.href.length > SKILL_URL_CHARS_MAX) {
    return refuse("too_long", `must have at most ${SKILL_URL_CHARS_MAX} characters`);
  }
  return ok(url.href);
}

function titleFrom(id: string): string {
  const words = id.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function liveSkill(setting: SkillSetting, siteName: string): LiveSkill {
  const known = builtInSkill(setting.id);
  const title = setting.title ?? known?.title ?? titleFrom(setting.id);
  const question = known?.question.replace("{site}", () => siteName);
  return Object.freeze({
    id: setting.id,
    title,
    description: setting.description ?? known?.description ?? `${title}: the page of this site.`,
    tags: known?.tags ?? ["link"],
    ...(setting.url === undefined ? {} : { url: setting.url }),
    requiresMandate: movesMoney(setting.id),
    question: question ?? `${title} at ${siteName}`,
  });
}

/**
 * The skills agents can use now, in the owner's order: enabled, and leading somewhere. Those of a shop
 * lead nowhere: they are live while they are offered, those of UCP unless they are switched off.
 *
 * @example
 * const pricing = { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" };
 * const off = { id: "sign_up", enabled: false, url: "https://shop.example.com/join" };
 * liveSkills([pricing, off], "Fern & Petal").map((skill) => skill.title); //=> ["Get pricing"]
 * const buy = { id: "place_order", enabled: true };
 * liveSkills([buy], "Fern & Petal", FULL_OFFER)[0].requiresMandate; //=> true
 * liveSkills([buy], "Fern & Petal", FULL_OFFER).length; //=> 14
 * liveSkills([buy], "Fern & Petal", NO_OFFER).length; //=> 0
 */
export function liveSkills(
  settings: readonly SkillSetting[],
  siteName: string,
  offer = NO_OFFER,
): readonly LiveSkill[] {
  const live: LiveSkill[] = [];
  for (const setting of settings) {
    if (!setting.enabled) continue;
    const reserved = RESERVED_SKILLS.includes(setting.id);
    const leads = reserved ? isOffered(setting.id, offer) : setting.url !== undefined;
    if (leads) live.push(liveSkill(setting, siteName));
  }
  for (const id of Object.keys(SHOP_SKILLS).filter((id) => isOffered(id, offer))) {
    if (settings.every((setting) => setting.id !== id)) {
      live.push(liveSkill({ id, enabled: true }, siteName));
    }
  }
  return Object.freeze(live);
}

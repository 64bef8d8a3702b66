import { FULL_OFFER } from "../discovery/offer.js";
import type { Policy } from "./model.js";
import { Overlaps } from "./overlaps.js";

/** Steps the answer may take: it is needed before a page can be shown. */
const STEPS_MAX = 20_000;

/**
 * The skills that buy and that the rules can allow or leave to a person. Where that takes too long to say,
 * they can.
 *
 * @example
 * const rule = { id: "buy", effect: "allow", when: { skill: { eq: "place_order" } } };
 * const read = readPolicy({ policy: "rules/1", timezone: "UTC", default: "deny", rules: [rule] });
 * permittedSkills(read.value); //=> ["place_order"]
 */
export function permittedSkills(policy: Policy): readonly string[] {
  const overlaps = new Overlaps(policy, STEPS_MAX);
  return FULL_OFFER.buying.filter((skill) => overlaps.permits(skill));
}

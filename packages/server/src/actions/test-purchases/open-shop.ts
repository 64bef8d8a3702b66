import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { type TestOpening, testOpening } from "../../domain/products/test-openings/store.js";
import type { Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import { setMandates } from "../mandates/set-mandates.js";
import { setSkills } from "../sites/set-skills.js";

export const PLACE_ORDER = "place_order";

/** What a purchase with a mandate needs, and is off now. */
export async function missingForTest(
  { db }: Context,
  { siteKeyHash, skills }: Site,
): Promise<TestOpening> {
  return {
    skill: !skills.some(({ id, enabled }) => id === PLACE_ORDER && enabled),
    mandates: !(await mandateSettings(db, siteKeyHash)).enabled,
  };
}

/** Turns the action on or off, and leaves the owner's other actions alone. */
function setPlaceOrder(
  context: Context,
  { siteKeyHash, skills }: Site,
  enabled: boolean,
  actor: Actor,
) {
  const isKnown = skills.some(({ id }) => id === PLACE_ORDER);
  const listed = isKnown ? skills : [...skills, { id: PLACE_ORDER, enabled }];
  const changed = listed.map((one) => (one.id === PLACE_ORDER ? { ...one, enabled } : one));
  return setSkills(context, siteKeyHash, { skills: changed }, actor);
}

/** Turns on what the test needs. What is on already stays as it is. */
export async function openForTest(
  context: Context,
  site: Site,
  { skill, mandates }: TestOpening,
  actor: Actor,
): Promise<Result<unknown, "invalid_request" | "not_found" | "conflict">> {
  if (skill) {
    const set = await setPlaceOrder(context, site, true, actor);
    if (!set.ok) return set;
  }
  if (!mandates) return ok(true);
  return setMandates(context, site.siteKeyHash, { enabled: true }, actor);
}

/** Turns off again what tests had turned on. False if somebody changed the site at the same time. */
export async function closeAfterTests(
  context: Context,
  siteKeyHash: string,
  actor: Actor,
): Promise<boolean> {
  const opened = await testOpening(context.db, siteKeyHash);
  const site = await siteByHash(context.db, siteKeyHash);
  if (opened === undefined || site === undefined) return true;
  if (opened.mandates) await setMandates(context, siteKeyHash, { enabled: false }, actor);
  if (!opened.skill) return true;
  return (await setPlaceOrder(context, site, false, actor)).ok;
}

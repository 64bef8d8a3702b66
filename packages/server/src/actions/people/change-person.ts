import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { rootOf } from "../../domain/access/descent/store.js";
import { deleteLinksOf } from "../../domain/access/links/store.js";
import { addressOf, EVERY_SITE, type Person } from "../../domain/access/people/person.js";
import { removePerson as removeForGood } from "../../domain/access/people/remove.js";
import { accessOf, deleteAccess, personById, setAccess } from "../../domain/access/people/store.js";
import { hasRole, isAtLeast, type Principal, type Role } from "../../domain/access/principal.js";
import { principalActor } from "../../domain/audit/drafts.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { covers, type HandedLink, handLink, mayMailLink, TOO_MANY_LINKS } from "./links.js";
import { keepLoweredRole, resetSignIn, revokeMade } from "./lost-rights.js";
import { type PersonChange, personDrafts } from "./person-record.js";
import { endOthersAs } from "./shared-address.js";

const NONE = refuse("not_found", "There is no such person, or you cannot see them.");
const ABOVE = refuse("forbidden", "You cannot change somebody with a role above your own.");

/** A person and their role at one site, as somebody who may change it sees them. */
async function findAt(
  tx: Transaction,
  by: Principal,
  personId: string,
  site: string,
): Promise<Result<Role, "not_found" | "forbidden">> {
  const person = await personById(tx, personId);
  if (person === undefined || person.removedAt !== null) return NONE;
  // A role at a site that is deleted meanwhile would stay without it.
  if (site !== EVERY_SITE && !(await lockSite(tx, site))) return NONE;
  const access = await accessOf(tx, personId);
  const here = access.find((one) => one.site === site);
  if (access.some((one) => one.site === EVERY_SITE) && site !== EVERY_SITE) return ABOVE;
  if (here === undefined) return NONE;
  return isAtLeast(by.role, here.role) ? ok(here.role) : ABOVE;
}

/** Changes the role of a person at one site, from their next request on. */
export async function changeRole(
  context: Context,
  by: Principal,
  { personId, site, role }: { personId: string; site: string; role: Role },
): Promise<Result<true, "not_found" | "forbidden">> {
  if (!hasRole(by, role)) return refuse("forbidden", "You cannot give a role above your own.");
  const answer = await commitAs<true, "not_found" | "forbidden">(context, by, async (tx) => {
    const holder = await findAt(tx, by, personId, site);
    if (!holder.ok) return refused(holder);
    await keepLoweredRole(context, tx, { personId, site, role });
    await setAccess(tx, { personId, site, role });
    // A link that was made for lesser rights does not give these.
    await deleteLinksOf(tx, personId);
    const change: PersonChange = { type: "person.changed", personId, site, role };
    const records = await personDrafts(context, tx, principalActor(by), [change]);
    const revoked = await revokeMade(context, tx, by, { personId, site, role });
    return { records: [...records, ...revoked], answer: ok(true) };
  });
  await context.revocations.write();
  return answer;
}

/** Takes a site from a person. Somebody without any site is removed for good. */
export async function removeFromSite(
  context: Context,
  by: Principal,
  personId: string,
  site: string,
): Promise<Result<true, "not_found" | "forbidden">> {
  const { clock, revocations } = context;
  const answer = await commitAs<true, "not_found" | "forbidden">(context, by, async (tx) => {
    const holder = await findAt(tx, by, personId, site);
    if (!holder.ok) return refused(holder);
    await keepLoweredRole(context, tx, { personId, site, role: null });
    await deleteAccess(tx, personId, site);
    if ((await accessOf(tx, personId)).length === 0) {
      await removeForGood(tx, personId, clock.now());
      await insertRevocations(tx, [{ kind: "person", id: personId, revokedAt: clock.now() }]);
    }
    const change: PersonChange = { type: "person.changed", personId, site, role: null };
    const records = await personDrafts(context, tx, principalActor(by), [change]);
    const revoked = await revokeMade(context, tx, by, { personId, site });
    return { records: [...records, ...revoked], answer: ok(true) };
  });
  await revocations.write();
  return answer;
}

/** Removes a person from every site. For an operator, who sees all of them. */
export async function removePerson(
  context: Context,
  by: Principal,
  personId: string,
): Promise<Result<true, "not_found" | "forbidden">> {
  const { clock, revocations } = context;
  const answer = await commitAs<true, "not_found">(context, by, async (tx) => {
    const person = await personById(tx, personId);
    if (person === undefined || person.removedAt !== null) return refused(NONE);
    const access = await accessOf(tx, personId);
    await removeForGood(tx, personId, clock.now());
    await insertRevocations(tx, [{ kind: "person", id: personId, revokedAt: clock.now() }]);
    const sites = access.length === 0 ? [EVERY_SITE] : access.map(({ site }) => site);
    const changes = sites.map((site): PersonChange => {
      return { type: "person.changed", personId, site, role: null };
    });
    const records = await personDrafts(context, tx, principalActor(by), changes);
    const revoked = await revokeMade(context, tx, by, { personId, site: EVERY_SITE });
    return { records: [...records, ...revoked], answer: ok(true) };
  });
  await revocations.write();
  return answer;
}

type RenewFault = "not_found" | "forbidden" | "rate_limited";

/**
 * A new link for somebody who lost theirs. `reset` also signs them out everywhere and deletes their
 * passkeys, for a device that was lost or stolen. The same happens if somebody else held the person's last link:
 * they could still be signed in as the person, who counts as another principal from now on.
 */
export async function renewLink(
  context: Context,
  by: Principal,
  personId: string,
  { reset }: { readonly reset: boolean },
): Promise<Result<{ readonly person: Person; readonly link: HandedLink }, RenewFault>> {
  const changed = await commitAs<Person, RenewFault>(context, by, async (tx) => {
    const person = await personById(tx, personId);
    if (person === undefined || person.removedAt !== null) return refused(NONE);
    const access = await accessOf(tx, personId);
    if (!covers(by, access)) return refused(ABOVE);
    const mail = { from: access[0]?.site, to: addressOf(person) };
    if (!(await mayMailLink(context, tx, mail))) return refused(TOO_MANY_LINKS);
    const held = await rootOf(tx, personId);
    const isOthers = held !== personId && held !== (await rootOf(tx, by.id));
    const ended = isOthers ? await endOthersAs(context, tx, personId, by) : [];
    if (reset && !isOthers) await resetSignIn(context, tx, personId);
    const change = reset || isOthers ? "sign_in_reset" : "link_made";
    const changes = access.map((one): PersonChange => ({ type: "person.changed", ...one, change }));
    const records = await personDrafts(context, tx, principalActor(by), changes);
    return { records: [...records, ...ended], answer: ok(person) };
  });
  if (!changed.ok) return changed;
  await context.revocations.write();
  const person = changed.value;
  return ok({ person, link: await handLink(context, by, person) });
}

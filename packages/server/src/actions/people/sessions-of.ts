import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Access } from "../../domain/access/people/person.js";
import { accessOf, personById } from "../../domain/access/people/store.js";
import type { Principal } from "../../domain/access/principal.js";
import { endSessionById, type Session, sessionsOf } from "../../domain/access/sessions/store.js";
import { principalActor } from "../../domain/audit/drafts.js";
import type { Queries } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { covers } from "./links.js";
import { type PersonChange, personDrafts } from "./person-record.js";

/** A session as colleagues see it. */
export type ColleagueSession = Pick<Session, "sessionId" | "device" | "createdAt" | "lastUsedAt">;

const NONE = refuse("not_found", "There is no such person, or you cannot see them.");
const ABOVE = refuse(
  "forbidden",
  "This person has a role above your own, or access to sites that are not yours. Ask an operator.",
);

/**
 * What somebody may do whose sessions are shown or ended. A session is for all sites of a person, so only somebody with at least
 * the same rights at each of them may.
 */
async function coveredAccess(
  db: Queries,
  by: Principal,
  personId: string,
): Promise<Result<readonly Access[], "not_found" | "forbidden">> {
  const person = await personById(db, personId);
  if (person === undefined || person.removedAt !== null) return NONE;
  const access = await accessOf(db, personId);
  return covers(by, access) ? ok(access) : ABOVE;
}

/** Where a colleague is signed in. */
export async function listSessionsOf(
  { clock, db }: Context,
  by: Principal,
  personId: string,
): Promise<Result<readonly ColleagueSession[], "not_found" | "forbidden">> {
  const access = await coveredAccess(db, by, personId);
  return access.ok ? ok(await sessionsOf(db, personId, clock.now())) : access;
}

/** Signs a colleague out of one browser, at its next request on every node. */
export function endSessionOf(
  context: Context,
  by: Principal,
  personId: string,
  sessionId: string,
): Promise<Result<true, "not_found" | "forbidden">> {
  return commitAs<true, "not_found" | "forbidden">(context, by, async (tx) => {
    const access = await coveredAccess(tx, by, personId);
    if (!access.ok) return refused(access);
    if (!(await endSessionById(tx, personId, sessionId))) {
      return refused(refuse("not_found", "This person has no such session."));
    }
    const changes = access.value.map((one): PersonChange => {
      return { type: "person.changed", ...one, change: "session_ended" };
    });
    return {
      records: await personDrafts(context, tx, principalActor(by), changes),
      answer: ok(true),
    };
  });
}

import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { EVERY_SITE, PERSON_ID_PREFIX, type Person } from "../../domain/access/people/person.js";
import {
  countOperators,
  insertPerson,
  livePeopleAt,
  setAccess,
} from "../../domain/access/people/store.js";
import type { NewSession } from "../../domain/access/sessions/console-sessions.js";
import { deleteSetUpCodes } from "../../domain/access/sessions/store.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import type { Transaction } from "../../infra/db/database.js";
import { refused } from "../commit-as.js";
import { joinedDrafts } from "./sign-in.js";

/** Who opens a set-up link. */
export interface FirstOwner {
  readonly code: string;
  readonly name: string;
  readonly email: string | undefined;
}

type SetUp = Result<NewSession, "conflict">;

const SET_UP = "The installation has an operator already. Sign in, or ask them for an invitation.";
const TAKEN =
  "Somebody with this address has an account already. Leave it empty or use another, or make that " +
  "person an operator with `gatehouse person invite`.";

/** Why nobody can be made the first owner, although the link is good. */
async function obstacle(tx: Transaction, email: string | null): Promise<string | undefined> {
  if ((await countOperators(tx)) > 0) return SET_UP;
  const taken = email !== null && (await livePeopleAt(tx, email)).length > 0;
  return taken ? TAKEN : undefined;
}

/**
 * Makes the person with the set-up link the first operator, who is owner of every site, and signs them in. No link sets up a second one:
 * the log of the installation lets only one change of people happen at a time. Undefined if the link does not work.
 */
export async function setUpOwner(
  context: Context,
  { code, name, email: given }: FirstOwner,
  device: string,
): Promise<SetUp | undefined> {
  const { audit, clock, consoleSessions, ids } = context;
  const email = given?.toLowerCase() ?? null;
  const personId = ids.id(PERSON_ID_PREFIX);
  const { answer } = await audit.commit<SetUp | undefined>(INSTALLATION, async (tx) => {
    const by = await consoleSessions.holderOfSetUp(tx, code);
    if (by === undefined) return { records: [], answer: undefined };
    const why = await obstacle(tx, email);
    if (why !== undefined) return refused(refuse("conflict", why));
    await deleteSetUpCodes(tx);
    const person: Person = {
      personId,
      name,
      email,
      sharedEmail: null,
      createdBy: by.id,
      createdAt: clock.now(),
      joinedAt: null,
      removedAt: null,
      provenAt: null,
      vouchedBy: by.id,
      subject: null,
    };
    await insertPerson(tx, person);
    await setAccess(tx, { personId, site: EVERY_SITE, role: "operator" });
    const opened = await consoleSessions.open(tx, personId, { device, confirmed: false });
    if (opened === undefined) throw new Error("somebody who was just made has no access");
    return { records: await joinedDrafts(context, tx, opened), answer: ok(opened) };
  });
  return answer;
}

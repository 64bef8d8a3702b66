import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { EVERY_SITE } from "../../domain/access/people/person.js";
import { accessOf } from "../../domain/access/people/store.js";
import type { Principal } from "../../domain/access/principal.js";
import {
  type Actor,
  actorDraft,
  principalActor,
  type RecordDraft,
} from "../../domain/audit/drafts.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import type { Queries } from "../../infra/db/database.js";
import { inWritableLogs } from "../tokens/token-record.js";

/** A change of one person at one site or at all. Records contain the person's id, never the name. */
export interface PersonChange {
  readonly type: "person.invited" | "person.joined" | "person.changed";
  readonly personId: string;
  /** A site key hash, or every site. */
  readonly site: string;
  /** The role after the change; null if the person has no access any more. */
  readonly role: string | null;
  /** What else changed, such as `passkey_added` or `session_ended`. */
  readonly change?: string;
}

/** The record of a change, in the log of its site, or in the installation's. */
function personDraft(
  { type, personId, site, role, change }: PersonChange,
  actor: Actor,
  now: number,
): RecordDraft {
  const person: JsonObject = { person_id: personId, role };
  const content = change === undefined ? { person } : { person, change };
  const siteKeyHash = site === EVERY_SITE ? INSTALLATION : site;
  return { ...actorDraft(type, actor, now, content), siteKeyHash };
}

/** Records of changes. A person must be removable even if a site's log cannot be written. */
export function personDrafts(
  { audit, clock }: Context,
  tx: Queries,
  actor: Actor,
  changes: readonly PersonChange[],
): Promise<RecordDraft[]> {
  const now = clock.now();
  return inWritableLogs(
    audit,
    tx,
    changes.map((change) => personDraft(change, actor, now)),
  );
}

/** Records what somebody changed about themselves, at each of their sites. */
export async function ownChangeDrafts(
  context: Context,
  tx: Queries,
  principal: Principal,
  change: "passkey_added" | "passkey_removed" | "renamed",
): Promise<RecordDraft[]> {
  const changes = (await accessOf(tx, principal.id)).map((access): PersonChange => {
    return { type: "person.changed", ...access, change };
  });
  return personDrafts(context, tx, principalActor(principal), changes);
}

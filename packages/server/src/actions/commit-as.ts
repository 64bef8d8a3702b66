import { type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Principal } from "../domain/access/principal.js";
import { stillHolds } from "../domain/access/still-holds.js";
import type { RecordDraft } from "../domain/audit/drafts.js";
import { INSTALLATION } from "../domain/audit/log.js";
import type { Transaction } from "../infra/db/database.js";

const NO_LONGER = refuse("forbidden", "You no longer have the role that this needs.");

/** What a body wrote, and its answer. */
interface Done<Answer> {
  readonly records: readonly RecordDraft[];
  readonly answer: Answer;
}

export const refused = <Answer>(answer: Answer): Done<Answer> => ({ records: [], answer });

/**
 * Commits what somebody does with access: people and tokens. All of it holds the installation's log, so none
 * runs beside another. Somebody who lost their rights after the request came is refused.
 */
export async function commitAs<T, R extends string>(
  { audit, clock }: Context,
  by: Principal,
  body: (tx: Transaction) => Promise<Done<Result<T, R>>>,
): Promise<Result<T, R | "forbidden">> {
  const { answer } = await audit.commit<Result<T, R | "forbidden">>(INSTALLATION, async (tx) =>
    (await stillHolds(tx, by, clock.now())) ? body(tx) : refused(NO_LONGER),
  );
  return answer;
}

import { z } from "zod";
import { agentChange } from "../actions/agents/change-agent.js";
import type { Context } from "../context.js";
import { nextSuspendedBy } from "../domain/agents/store.js";
import { serviceActor } from "../domain/audit/drafts.js";
import type { Queries } from "../infra/db/database.js";
import { readFact, writeFact } from "../infra/installation/installation.js";
import { readRestored } from "./restored.js";
import { RESTORE_ACTOR } from "./suspend-restored.js";

/** Agents recorded in one commit. All of them belong to one site. */
const RECORDED_AT_ONCE = 200;

/** The last agent that was recorded, and the time of the restore. */
const Recorded = z.object({ at: z.int(), site: z.string(), agent: z.string() });

async function readRecorded(db: Queries, at: number) {
  const text = await readFact(db, "restore_recorded");
  const recorded = text === undefined ? undefined : Recorded.parse(JSON.parse(text));
  // A backup may contain this fact about an earlier restore.
  return recorded?.at === at ? recorded : { at, site: "", agent: "" };
}

/**
 * Records which agents a restore suspended. The restore itself cannot: it has no open log, and the next
 * record opens a new epoch. A record and the note of it are one commit, so a crash repeats none.
 */
export async function recordRestored(
  { audit, clock, db }: Pick<Context, "audit" | "clock" | "db">,
  stopping: () => boolean,
): Promise<void> {
  const restored = await readRestored(db);
  if (restored?.doubt === undefined) return;
  const next = async (queries: Queries) => {
    const recorded = await readRecorded(queries, restored.at);
    return nextSuspendedBy(queries, RESTORE_ACTOR, recorded, RECORDED_AT_ONCE);
  };
  const actor = serviceActor(RESTORE_ACTOR);
  for (let waiting = await next(db); waiting.length > 0 && !stopping(); waiting = await next(db)) {
    const site = waiting[0]?.siteKeyHash ?? "";
    await audit.commit(site, async (tx) => {
      // Read again, because another node may have recorded them meanwhile.
      const agents = (await next(tx)).filter(({ siteKeyHash }) => siteKeyHash === site);
      const agent = agents.at(-1)?.agentId;
      if (agent === undefined) return { records: [], answer: null };
      await writeFact(tx, "restore_recorded", JSON.stringify({ at: restored.at, site, agent }));
      const now = clock.now();
      const records = agents.map((one) => agentChange("agent_suspended", one, { actor, now }));
      return { records, answer: null };
    });
  }
}

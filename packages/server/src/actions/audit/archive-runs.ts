import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  archiveBefore,
  type DueDay,
  dueDays,
  KEPT_DAYS_MIN,
} from "../../domain/audit/archive/due.js";
import { NotArchivedError } from "../../domain/audit/archive/part.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { frozenRemedy, type LogHead, startOfDay } from "../../domain/audit/log.js";
import { logsOfSite } from "../../domain/audit/store.js";
import { pause } from "../../infra/clock.js";
import { archiveDay, deleteRows } from "./archive-days.js";

/** Days listed for one site. */
const DUE_DAYS_MAX = 1000;
/** How long a request waits for its day to be archived before it answers with the progress. */
const ANSWER_MS_MAX = 5000;

export interface ArchiveRequest {
  /** Days before this one. */
  readonly before: string;
  /** Only lists the days that are due. */
  readonly dryRun: boolean;
}

/** How far archiving a site's logs is. */
export interface ArchiveStep {
  /** Days that are still due, oldest first. */
  readonly due: readonly DueDay[];
  /** The day that was archived, if one was. */
  readonly archived: DueDay | null;
  /** The day that is being archived, and how many of its records are written. */
  readonly running: (DueDay & { readonly written: number }) | null;
}

export type ArchiveFault = "invalid_request" | "conflict";

interface Run {
  readonly day: DueDay;
  written: number;
  readonly ended: Promise<Result<true, "conflict">>;
}

/** Archives days on request, one for each request and site; a caller repeats it for the next day. */
export class ArchiveRuns {
  private readonly context: Context;
  /** Runs by site, including those that have ended and were not reported yet. */
  private readonly runs = new Map<string, Run>();

  constructor(context: Context) {
    this.context = context;
  }

  async step(
    siteKeyHash: string,
    { before, dryRun }: ArchiveRequest,
    actor: Actor,
  ): Promise<Result<ArchiveStep, ArchiveFault>> {
    const last = archiveBefore(this.context.clock.now(), KEPT_DAYS_MIN);
    if (startOfDay(before) === undefined || before > last) {
      return refuse("invalid_request", `before: must be a day up to ${last}, such as 2030-05-17.`);
    }
    const due = await this.due(siteKeyHash, before);
    const step = { due: due.map(({ day }) => day), archived: null, running: null };
    if (dryRun) return ok(step);
    let run = this.runs.get(siteKeyHash);
    if (run === undefined) {
      const [first] = due;
      if (first === undefined) return this.trim(siteKeyHash, step);
      const why = this.context.audit.freezeReason(first.day.chain);
      if (why !== undefined) {
        return refuse(
          "conflict",
          `A frozen log cannot be archived: ${why}. First ${frozenRemedy(first.day.chain)}`,
        );
      }
      run = this.begin(siteKeyHash, first.log, first.day, actor);
    }
    const { day, written, ended } = run;
    const result = await Promise.race([ended, pause(ANSWER_MS_MAX)]).catch((error) => {
      this.runs.delete(siteKeyHash);
      throw error;
    });
    const others = step.due.filter(
      (other) => other.chain !== day.chain || other.firstSeq !== day.firstSeq,
    );
    if (result === undefined) {
      return ok({ due: others, archived: null, running: { ...day, written } });
    }
    this.runs.delete(siteKeyHash);
    return result.ok ? ok({ due: others, archived: day, running: null }) : result;
  }

  private async due(siteKeyHash: string, before: string) {
    const { db } = this.context;
    const due: { readonly log: LogHead; readonly day: DueDay }[] = [];
    for (const log of (await logsOfSite(db, siteKeyHash)).reverse()) {
      const days = await dueDays(db, log, before, DUE_DAYS_MAX - due.length);
      due.push(...days.map((day) => ({ log, day })));
    }
    return due;
  }

  /** Nothing is due: deletes rows that an earlier run left. */
  private async trim(siteKeyHash: string, step: ArchiveStep): Promise<Result<ArchiveStep, never>> {
    const logs = await logsOfSite(this.context.db, siteKeyHash);
    for (const { chain } of logs) await deleteRows(this.context, chain);
    return ok(step);
  }

  private begin(siteKeyHash: string, log: LogHead, day: DueDay, actor: Actor): Run {
    const onWritten = (records: number) => {
      run.written += records;
    };
    const ended = archiveDay(this.context, log, day, actor, onWritten).then(
      () => ok(true as const),
      (error) => {
        if (error instanceof NotArchivedError) {
          return refuse("conflict", `The day was not archived: ${error.message}.`);
        }
        throw error;
      },
    );
    const run: Run = { day, written: 0, ended };
    this.runs.set(siteKeyHash, run);
    // The request that waits, or the next one, reports it too.
    ended.catch((error) => this.context.log.error({ ...day, error }, "audit.not_archived"));
    return run;
  }
}

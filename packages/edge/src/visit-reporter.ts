import { REPORT_VISITS_MAX, type ReportedVisit, visitReport } from "@gatehouse/protocol";
import type { Runtime } from "./runtime.js";
import type { Settings } from "./settings.js";
import { MINUTE_MS } from "./time.js";

/** How long a visit waits for others to be reported with. */
const GATHER_MS = 1_000;
const SEND_MS_MAX = 5_000;
/** Reports under way at once; what comes while so many hang is not reported. */
const SENDING_MAX = 4;
/** A lasting fault is told once in so long. */
const WARN_EVERY_MS = MINUTE_MS;

/** What an owner can do about an answer. */
const FAULTS: Readonly<Record<number, string>> = {
  401: "the edge token is not valid (401); was it revoked? Create another one with `gatehouse token create --role edge`",
  403: "the edge token belongs to another site than the site key hash (403)",
  429: "Gatehouse does not accept so many visits for one site (429); see GATEHOUSE_BEACONS_PER_SITE_PER_MINUTE",
};

/** Where in its group a visit stands, by which it knows whether to send the group. */
export type Placed = "first" | "between" | "last";

/**
 * Tells Gatehouse of visits, some at a time, while nobody waits. A report that fails is not sent
 * again: whether Gatehouse took it down cannot be known, and no visit should count twice.
 */
export class VisitReporter {
  private readonly settings: Settings;
  private readonly runtime: Runtime;
  private waiting: ReportedVisit[] = [];
  private sending = 0;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings, runtime: Runtime) {
    this.settings = settings;
    this.runtime = runtime;
  }

  /** Puts a visit among those that wait. */
  place(visit: ReportedVisit): Placed {
    this.waiting.push(visit);
    if (this.waiting.length >= REPORT_VISITS_MAX) return "last";
    return this.waiting.length === 1 ? "first" : "between";
  }

  /** Sends the group where that is this visit's part. Never rejects. */
  async gather(placed: Placed): Promise<void> {
    if (placed === "between") return;
    // The first of a group waits for the others: in Workers only its own request may send later.
    if (placed === "first") {
      await new Promise<void>((resolve) => this.runtime.clock.after(GATHER_MS, resolve));
    }
    await this.flush();
  }

  /** Sends what waits. */
  async flush(): Promise<void> {
    const visits = this.waiting.splice(0, REPORT_VISITS_MAX);
    if (visits.length === 0) return;
    const many = visits.length === 1 ? "1 visit was" : `${visits.length} visits were`;
    if (this.sending >= SENDING_MAX) return this.warn(`${many} dropped: Gatehouse is slow`);
    this.sending++;
    try {
      const fault = await this.send(visits);
      if (fault !== undefined) this.warn(`${many} not reported: ${fault}`);
    } finally {
      this.sending--;
    }
  }

  /** Undefined when it was taken down; else what was wrong. */
  private async send(visits: readonly ReportedVisit[]): Promise<string | undefined> {
    const { gatehouse, siteKeyHash, edgeToken } = this.settings;
    const abort = new AbortController();
    const cancel = this.runtime.clock.after(SEND_MS_MAX, () => abort.abort());
    try {
      const answer = await this.runtime.fetch(`${gatehouse}/v1/edge/${siteKeyHash}/visits`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${edgeToken}` },
        body: JSON.stringify(visitReport(visits)),
        redirect: "manual",
        signal: abort.signal,
      });
      await answer.body?.cancel();
      if (answer.status === 204) return undefined;
      return FAULTS[answer.status] ?? `Gatehouse answered with ${answer.status}`;
    } catch {
      return "Gatehouse did not answer";
    } finally {
      cancel();
    }
  }

  private warn(text: string): void {
    const now = this.runtime.clock.now();
    if (now < this.warnedAt + WARN_EVERY_MS) return;
    this.warnedAt = now;
    this.runtime.warn(text);
  }
}

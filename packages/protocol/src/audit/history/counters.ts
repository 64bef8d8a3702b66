import { formatAmount, type Money } from "../../money/amount.js";
import { minorUnitDigits } from "../../money/iso4217.js";
import { policyDurationMs } from "../../policy/duration.js";
import type { CountFact, SpentFact } from "../../policy/facts.js";
import { Tally } from "./tally.js";

/** Entries kept of all counters together. */
const ENTRIES_MAX = 500_000;
/** No window is longer. */
const WINDOW_MS_MAX = policyDurationMs("P31D") as number;

/** Where money was counted, to be taken back if none came of it. */
export type Spending = readonly { readonly tally: Tally; readonly number: number }[];

/** What a decision says was counted before it. */
interface Counted {
  readonly agent: string;
  readonly at: number;
  readonly spend: readonly SpentFact[];
  readonly count: readonly CountFact[];
}

const siteName = (what: string) => `${what} of all`;
const agentName = (what: string, agent: string) => `${what} by ${agent}`;

/** The counters something goes into. What names no agent is nobody's own. */
function namesOf(what: string, agent: string): readonly string[] {
  return agent === "" ? [siteName(what)] : [siteName(what), agentName(what, agent)];
}

/** A sum for people. */
export function moneyText({ minor, currency }: Money): string {
  const known =
    minorUnitDigits(currency) !== undefined && Number.isSafeInteger(minor) && minor >= 0;
  return known ? `${formatAmount({ minor, currency })} ${currency}` : `${minor} of ${currency}`;
}

/** What was spent and decided, by agent and altogether, as far as the records read so far tell. */
export class Counters {
  private tallies = new Map<string, Tally>();
  private entries = 0;
  private newest = 0;

  countDecision(agent: string, at: number): void {
    for (const name of namesOf("count", agent)) this.add(name, at, 1);
  }

  countSpent(agent: string, { minor, currency }: Money, at: number): Spending {
    return namesOf(currency, agent).map((name) => this.add(name, at, minor));
  }

  takeBack(spending: Spending): void {
    for (const { tally, number } of spending) tally.takeBack(number);
  }

  /**
   * What a decision leaves out of its counts; undefined where they may be right. They may be higher
   * than the records tell, which do not reach back for ever. `firstAskedAt` is when the decision was
   * made that is asked about again: it does not count against itself.
   */
  fault({ agent, at, spend, count }: Counted, firstAskedAt?: number): string | undefined {
    const sumOf = (name: string, scope: string, window: string) =>
      this.tallies
        .get(scope === "agent" ? agentName(name, agent) : siteName(name))
        ?.sum(policyDurationMs(window) as number, at) ?? 0;
    for (const { scope, window, currency, minor } of spend) {
      const spent = sumOf(currency, scope, window);
      if (minor >= spent) continue;
      const [counted, shown] = [minor, spent].map((sum) => moneyText({ minor: sum, currency }));
      return `it counts ${counted} as spent in ${window} (${scope}), but the earlier records show ${shown}`;
    }
    for (const { scope, window, value } of count) {
      const since = at - (policyDurationMs(window) as number);
      const itself = firstAskedAt !== undefined && firstAskedAt > since ? 1 : 0;
      const decided = sumOf("count", scope, window) - itself;
      if (value >= decided) continue;
      return `it counts ${value} decisions in ${window} (${scope}), but there are ${decided} before it`;
    }
    return undefined;
  }

  private add(name: string, at: number, value: number) {
    if (this.entries >= ENTRIES_MAX) this.dropExpired();
    const tally = this.tallies.get(name) ?? new Tally();
    this.tallies.set(name, tally);
    this.entries++;
    this.newest = Math.max(this.newest, at);
    return { tally, number: tally.add(at, value) };
  }

  /** Makes room: what no window reaches goes, and everything where that is not enough. */
  private dropExpired(): void {
    for (const tally of this.tallies.values()) {
      this.entries -= tally.dropUntil(this.newest - WINDOW_MS_MAX);
    }
    if (this.entries <= ENTRIES_MAX / 2) return;
    this.tallies = new Map();
    this.entries = 0;
  }
}

import { AUDIT_POINTS, CHECKOUT_POINT, PURCHASE_POINTS } from "../src/infra/crash-points.ts";
import type { SimulatedProvider } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Trouble } from "./seams.ts";

/** Far more than the service tolerates. */
const SKEW_MS = 3_600_000;
/** Seam calls of what somebody does, about: the process may die at any of them. */
const SEAM_CALLS = 20;
/** Seams that a plan may name, so that the process also dies where it seldom is. */
const NAMED_SEAMS = [
  ...PURCHASE_POINTS,
  ...AUDIT_POINTS,
  CHECKOUT_POINT,
  "decide.released",
  "provider.openPage",
  "provider.voidAuthorization",
];

/** What goes wrong now, outside the service: at its provider, its disk, its clock and its network. */
export class Weather implements Trouble {
  private readonly random: Random;
  private readonly provider: SimulatedProvider;
  /** Calls of a seam until the process dies. */
  private crashIn: number | undefined;
  /** Seams at which it dies, once it comes to one of them. */
  private crashSeams = new Set<string>();
  /** Transactions until one fails, and how. */
  private diskIn: number | undefined;
  private diskFault: "fails" | "unheard" = "fails";
  private lostAnswers = 0;
  /** No transaction is written. */
  isDiskDown = false;
  skewMs = 0;
  /** How often the process died, by seam. */
  readonly crashes = new Map<string, number>();

  constructor(random: Random, provider: SimulatedProvider) {
    this.random = random;
    this.provider = provider;
  }

  crashesAt(seam: string): boolean {
    const isDue = this.crashIn !== undefined && --this.crashIn <= 0;
    if (!this.crashSeams.delete(seam) && !isDue) return false;
    this.crashIn = undefined;
    this.crashes.set(seam, (this.crashes.get(seam) ?? 0) + 1);
    return true;
  }

  disk(): "none" | "fails" | "unheard" {
    if (this.isDiskDown) return "fails";
    if (this.diskIn === undefined || --this.diskIn > 0) return "none";
    this.diskIn = undefined;
    return this.diskFault;
  }

  losesAnswer(): boolean {
    return this.lostAnswers > 0 && this.random.chance(this.lostAnswers);
  }

  /** Whether the service must refuse to decide. */
  get mustRefuse(): boolean {
    return this.isDiskDown || this.skewMs !== 0;
  }

  /** Decides what goes wrong while something goes on. */
  plan(odds: { readonly nothing: number; readonly crash: number; readonly disk: number }): void {
    const { random } = this;
    this.cancelPlan();
    this.lostAnswers = random.chance(0.1) ? 0.5 : 0;
    const planned = random.weighted(odds);
    if (planned === "crash" && random.chance(0.4)) this.crashSeams.add(random.pick(NAMED_SEAMS));
    else if (planned === "crash") this.crashIn = random.int(1, SEAM_CALLS);
    if (planned === "disk") {
      this.diskIn = random.int(1, 8);
      this.diskFault = random.chance(0.5) ? "fails" : "unheard";
    }
  }

  /** Takes back what was planned and has not happened, but for a seam that was not reached yet. */
  cancelPlan(): void {
    this.crashIn = undefined;
    this.diskIn = undefined;
    this.lostAnswers = 0;
  }

  /** Changes for longer than a step. Returns what changed, if anything. */
  change(): string | undefined {
    const { random, provider } = this;
    if (!random.chance(this.mustRefuse ? 0.2 : 0.08)) return undefined;
    const turn = random.weighted({ storm: 3, breeze: 4, disk: 1, clock: 1 });
    if (this.mustRefuse || turn === "breeze") {
      this.isDiskDown = false;
      this.skewMs = 0;
      provider.faultRate = random.next() * 0.2;
      return `calmer, the provider fails ${provider.faultRate.toFixed(2)}`;
    }
    if (turn === "storm") {
      provider.faultRate = 0.3 + random.next() * 0.6;
      return `storm, the provider fails ${provider.faultRate.toFixed(2)}`;
    }
    if (turn === "disk") this.isDiskDown = true;
    else this.skewMs = random.chance(0.5) ? SKEW_MS : -SKEW_MS;
    return turn === "disk" ? "the disk is full" : "the clock is wrong";
  }

  /** What a person does before starting the service again: it cannot start on a full disk. */
  repair(): void {
    this.isDiskDown = false;
    this.skewMs = 0;
    this.diskIn = undefined;
    this.crashIn = this.random.chance(0.1) ? this.random.int(1, SEAM_CALLS) : undefined;
  }

  /** Nothing goes wrong until the returned function is called. */
  hold(): () => void {
    const { crashSeams, provider } = this;
    const { faultRate } = provider;
    this.calm();
    return () => {
      this.crashSeams = crashSeams;
      provider.faultRate = faultRate;
    };
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.cancelPlan();
    this.crashSeams = new Set();
    this.isDiskDown = false;
    this.skewMs = 0;
    this.provider.faultRate = 0;
  }
}

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../src/infra/time.ts";
import { Agents } from "./actors/agents.ts";
import { Buyers } from "./actors/buyers.ts";
import { Owner } from "./actors/owner.ts";
import { Platforms } from "./actors/platforms.ts";
import { Reviewers } from "./actors/reviewers.ts";
import { type Books, readBooks } from "./books.ts";
import { checkInvariants, type When } from "./invariants.ts";
import { LogBook } from "./log-book.ts";
import { checkLog } from "./log-check.ts";
import { Violation } from "./trace.ts";
import { World, type WorldOptions } from "./world.ts";

/** How a run ended. */
export interface RunResult {
  readonly seed: number;
  readonly steps: number;
  /** The same for every run of the seed. */
  readonly digest: string;
  readonly orders: number;
  /** How payments ended. */
  readonly ends: Readonly<Record<string, number>>;
  readonly crashes: Readonly<Record<string, number>>;
  /** What does not hold; undefined if everything does. */
  readonly failure?:
    | {
        readonly invariant: string;
        readonly message: string;
        readonly lastSteps: readonly string[];
      }
    | undefined;
}

/** The time between steps, on average. */
const BUSY_MS = 54 * SECOND_MS;
const QUIET_MS = 4 * MINUTE_MS;
/** Steps after which the log is verified and its decisions are decided again. */
const LOG_EVERY_STEPS = 60;
/** How long time passes at the end: longer than the service waits for anything. */
const REST_MS = [
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  20 * MINUTE_MS,
  50 * MINUTE_MS,
  ...Array.from({ length: 12 }, () => 8 * HOUR_MS),
];

/** One run: everybody acts while things go wrong, and after each step everything must hold. */
class Run {
  private readonly world: World;
  private readonly agents: Agents;
  private readonly platforms: Platforms;
  private readonly buyers: Buyers;
  private readonly reviewers: Reviewers;
  private readonly owner: Owner;
  private readonly log = new LogBook();
  private before: Books | undefined;

  constructor(options: WorldOptions) {
    this.world = new World(options);
    this.agents = new Agents(this.world);
    this.platforms = new Platforms(this.world);
    this.buyers = new Buyers(this.world, this.platforms.checkouts);
    this.reviewers = new Reviewers(this.world);
    this.owner = new Owner(this.world, (id, price) => this.agents.prices.set(id, price));
  }

  /** Starts something that somebody does. */
  private act(): Promise<string> {
    const { random } = this.world;
    if (this.owner.isPaused && random.chance(0.2)) return this.owner.resume();
    const who = random.weighted({ agents: 6, platforms: 7, buyers: 7, reviewers: 2, owner: 2 });
    return this[who].act().then((told) => `${who}: ${told}`);
  }

  /** Mostly one thing happens at a time. Owners brake when buyers pay, because that is when it matters. */
  private acts(): readonly Promise<string>[] {
    const { random } = this.world;
    const isBraking = !this.owner.isPaused && random.chance(0.03);
    if (isBraking) return [this.owner.pause(), this.buyers.pay()];
    return Array.from({ length: random.chance(0.15) ? 2 : 1 }, () => this.act());
  }

  private async step(meanMs: number): Promise<void> {
    const { world } = this;
    const { random, node, weather } = world;
    world.trace.steps++;
    this.owner.setting.clear();
    const changed = weather.change();
    const { mustRefuse } = weather;
    if (changed !== undefined) {
      world.note(changed);
      // A clock that was right a moment ago is relied on for some seconds more.
      await node.pass(MINUTE_MS);
      await this.check(false);
    }
    // Jobs run while time passes.
    weather.plan({ nothing: 96, crash: 2, disk: 2 });
    await node.pass(SECOND_MS + random.waitMs(meanMs));
    await world.recover();
    weather.plan({ nothing: 86, crash: 8, disk: 6 });
    for (const told of await node.until(this.acts())) world.note(told);
    await world.recover();
    await this.check(mustRefuse && weather.mustRefuse);
  }

  private async check(mustRefuse: boolean, when: When = "after a step"): Promise<void> {
    const { provider, node } = this.world;
    const after = await readBooks(node.db);
    await this.log.read(node.db);
    const { before = after, log } = this;
    const setStock = this.owner.setting;
    checkInvariants({ before, after, held: provider.books, log, setStock, mustRefuse }, when);
    this.before = after;
  }

  /** Nothing goes wrong while the log is verified: an export of it must be whole. */
  private async verifyLog(): Promise<void> {
    const goOn = this.world.weather.hold();
    await checkLog(this.world);
    goOn();
  }

  /** Ends all troubles, lets time pass, and asks everybody once more. */
  private async rest(): Promise<void> {
    const { world } = this;
    const { node, weather } = world;
    weather.calm();
    this.owner.setting.clear();
    await node.until([world.admin("POST", "/resume", {})]);
    for (const ms of REST_MS) await node.pass(ms);
    await this.agents.sendAll();
    await this.platforms.askForAll();
    await node.pass(MINUTE_MS);
    await this.check(false, "at rest");
    await checkLog(world);
  }

  async finish(hours: number): Promise<void> {
    const { world } = this;
    const { clock, node, random } = world;
    await node.start();
    await this.check(false);
    const opened = clock.now();
    const end = opened + hours * HOUR_MS;
    let hour = -1;
    let meanMs = 0;
    while (clock.now() < end) {
      const now = Math.floor((clock.now() - opened) / HOUR_MS);
      // The first hour is busy; of the others few are.
      if (now !== hour) meanMs = hour < 0 || random.chance(0.2) ? BUSY_MS : QUIET_MS;
      hour = now;
      await this.step(meanMs);
      if (world.trace.steps % LOG_EVERY_STEPS === 0 && !world.weather.mustRefuse) {
        await this.verifyLog();
      }
    }
    await this.rest();
    for (const { order_id, attempt_id } of this.before?.orders ?? []) {
      world.note(`order ${order_id} of ${attempt_id}`);
    }
  }

  result(seed: number, failure: RunResult["failure"]): RunResult {
    const { trace, weather } = this.world;
    const crashes = Object.fromEntries([...weather.crashes].sort());
    const orders = this.before?.orders.length ?? 0;
    const ends: Record<string, number> = {};
    for (const { status } of this.before?.payments ?? []) ends[status] = (ends[status] ?? 0) + 1;
    return { ends, seed, steps: trace.steps, digest: trace.digest(), orders, crashes, failure };
  }

  close(): Promise<void> {
    return this.world.close();
  }

  get lastSteps(): readonly string[] {
    return this.world.trace.lastSteps;
  }
}

/** Runs one seed for some simulated hours. */
export async function runSeed(options: WorldOptions, hours: number): Promise<RunResult> {
  const run = new Run(options);
  try {
    await run.finish(hours);
    return run.result(options.seed, undefined);
  } catch (error) {
    const { message, stack = "" } = error as Error;
    const invariant = error instanceof Violation ? error.invariant : "the run itself";
    const told = error instanceof Violation ? message : stack;
    return run.result(options.seed, { invariant, message: told, lastSteps: run.lastSteps });
  } finally {
    await run.close();
  }
}

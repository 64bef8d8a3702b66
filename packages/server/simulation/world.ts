import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ManualClock } from "../src/infra/clock.ts";
import { MINUTE_MS } from "../src/infra/time.ts";
import { Node } from "./node.ts";
import { SimulatedProvider } from "./provider.ts";
import { Random, seededIds } from "./random.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./requests.ts";
import { adminRequest, environment, OPENED_AT, type SimulatedShop } from "./shop.ts";
import { Trace } from "./trace.ts";
import { Weather } from "./weather.ts";

export interface WorldOptions {
  readonly seed: number;
  /** A folder for databases. */
  readonly folder: string;
  readonly shop: SimulatedShop;
  /** The installation that every run begins with. */
  readonly template: string;
  readonly print?: ((line: string) => void) | undefined;
}

/** One node, its provider, its time and its troubles. Everything in it follows from the seed. */
export class World {
  readonly random: Random;
  readonly clock = new ManualClock(OPENED_AT + MINUTE_MS);
  readonly provider: SimulatedProvider;
  readonly weather: Weather;
  readonly shop: SimulatedShop;
  readonly node: Node;
  readonly trace: Trace;
  private readonly dataDir: string;

  constructor({ seed, folder, shop, template, print }: WorldOptions) {
    this.random = new Random(seed);
    this.shop = shop;
    this.trace = new Trace(print);
    this.provider = new SimulatedProvider(this.clock, this.random);
    this.provider.faultRate = this.random.next() * 0.3;
    this.weather = new Weather(this.random, this.provider);
    this.dataDir = mkdtempSync(join(folder, "world-"));
    cpSync(template, this.dataDir, { recursive: true });
    this.node = new Node({
      env: environment(this.dataDir),
      clock: this.clock,
      ids: seededIds(new Random(seed + 0x5eed)),
      provider: this.provider,
      trouble: this.weather,
      skewMs: () => this.weather.skewMs,
      fetch: async (url) => {
        const { host } = new URL(url);
        const platform = shop.platforms.find((one) => one.host === host);
        if (platform === undefined) return { ok: false, reason: "unreachable", detail: "nobody" };
        const body = Buffer.from(JSON.stringify(platform.profile));
        return { ok: true, value: { status: 200, headers: {}, body } as never };
      },
    });
  }

  note(text: string): void {
    this.trace.note(this.clock.now(), text);
  }

  /** Sends a request. Now and then its answer is lost on the way, as if its client had gone. */
  async send(request: SimulatedRequest): Promise<SimulatedAnswer> {
    const answer = await this.node.send(request);
    return this.weather.losesAnswer() ? { ...answer, status: 0, body: {}, text: "" } : answer;
  }

  admin(method: string, path: string, body?: unknown): Promise<SimulatedAnswer> {
    return this.send(adminRequest(method, `/sites/${this.shop.hash}${path}`, body));
  }

  /** Starts the service again after a crash, until it stays up. */
  async recover(): Promise<void> {
    for (let tries = 0; this.node.crashedAt !== undefined; tries++) {
      this.note(`crashed at ${this.node.crashedAt}`);
      this.weather.repair();
      if (tries > 2) this.weather.calm();
      await this.node.restart();
    }
  }

  async close(): Promise<void> {
    await this.node.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

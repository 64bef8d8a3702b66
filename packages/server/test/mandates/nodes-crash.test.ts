import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { expect, test } from "vitest";
import { pause } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { type NodeProcess, startNode } from "../audit/node-process.ts";
import { freshEnvironment, startServer, type TestServer, temporaryFolder } from "../harness.ts";
import { send as post } from "../http-client.ts";
import { type Buyer, type Shop, submitting } from "./submitting.ts";

/** One kill in `npm run test:release`; `npm run test:long` asks for ten, a minute apart. */
const KILLS = Number(process.env.NODE_KILLS ?? 1);
const BETWEEN_MS = Number(process.env.NODE_KILL_EVERY_MS ?? 0);
const NODES = Number(process.env.NODES ?? 2);
const SITES = 6;
const SENDERS_PER_NODE = 4;
/** Answers between two kills, so that each node has worked before it dies. */
const ANSWERS_BETWEEN = 100;
const LIMITS = Object.fromEntries(
  ["MANDATES_PER_SITE", "MANDATES_PER_AGENT", "REQUESTS_PER_ADDRESS", "SOURCE_REQUESTS"].map(
    (name) => [`GATEHOUSE_${name}_PER_MINUTE`, "1000000"],
  ),
);

interface Selling {
  readonly shop: Shop;
  readonly buyer: Buyer;
}

/** Nodes on one database, of which one after the other is killed and started again. */
class Nodes {
  private readonly env: Readonly<Record<string, string>>;
  private readonly running: (NodeProcess | undefined)[] = [];

  constructor(env: Readonly<Record<string, string>>) {
    this.env = env;
  }

  async start(): Promise<void> {
    for (let n = 0; n < NODES; n++) this.running.push(await this.startOne());
  }

  private startOne(): Promise<NodeProcess> {
    return startNode({ ...this.env, GATEHOUSE_DATA_DIR: temporaryFolder() });
  }

  async replace(n: number): Promise<void> {
    const place = n % NODES;
    const node = this.running[place];
    this.running[place] = undefined;
    node?.child.kill("SIGKILL");
    await node?.died;
    this.running[place] = await this.startOne();
  }

  /** Any node that runs, another one each time. */
  url(turn: number): string {
    const alive = this.running.flatMap((node) => node ?? []);
    return (alive[turn % alive.length] as NodeProcess).url;
  }
}

/** Sends mandates until told to stop; each is sent again, to whichever node, until it is answered. */
class Senders {
  private readonly at: ReturnType<typeof submitting>;
  private readonly nodes: Nodes;
  private isStopping = false;
  private turn = 0;
  private heard: () => void = () => undefined;
  /** The record of each decision, by mandate. */
  readonly decided = new Map<string, string>();
  resent = 0;

  constructor(server: TestServer, nodes: Nodes) {
    this.at = submitting(server);
    this.nodes = nodes;
  }

  run(all: readonly Selling[]): Promise<unknown> {
    return Promise.all(Array.from({ length: NODES * SENDERS_PER_NODE }, () => this.sendOn(all)));
  }

  stop(): void {
    this.isStopping = true;
  }

  async answered(count: number): Promise<void> {
    const wanted = this.decided.size + count;
    while (this.decided.size < wanted) {
      await new Promise<void>((resolve) => {
        this.heard = resolve;
      });
    }
  }

  private async sendOn(all: readonly Selling[]): Promise<void> {
    while (!this.isStopping) {
      const { shop, buyer } = all[this.turn % all.length] as Selling;
      const mandate = this.at.mandate(shop, buyer);
      const body = JSON.stringify(await signMandate(mandate, buyer.key.signer));
      const decision = await this.decide(shop, body);
      this.decided.set(mandate.mandate_id as string, decision);
      // Sent once more: a node that did not decide it answers as the one that did.
      if (this.turn % 10 === 0) expect(await this.decide(shop, body)).toBe(decision);
      this.heard();
    }
  }

  private async decide(shop: Shop, body: string): Promise<string> {
    for (;;) {
      const url = `${this.nodes.url(this.turn++)}/v1/m/${shop.site_key}/mandate`;
      const headers = { "content-type": "application/json" };
      const answer = await post(url, { method: "POST", headers, body }).catch(() => undefined);
      if (answer?.status === 200) {
        expect(answer.body.outcome).toBe("approved");
        return answer.body.record_id;
      }
      this.resent++;
      // Nothing was decided: a check could not complete, or the node has too much to do.
      const { reason, outcome } = answer?.body ?? { reason: "unavailable" };
      expect(["unavailable", "rate_limited"]).toContain(reason ?? outcome);
    }
  }
}

test("nodes on one PostgreSQL, killed under load, decide each mandate once and keep every log intact", {
  timeout: KILLS * BETWEEN_MS + 300_000,
}, async () => {
  const env = {
    ...(await freshEnvironment("postgres")),
    GATEHOUSE_BASE_URL: "http://127.0.0.1:9",
    GATEHOUSE_SECRETS_KEY: "A".repeat(43),
    ...LIMITS,
  };
  // Serves nobody but this test: it looks on from outside what happens to the others.
  const server = await startServer(env);
  const at = submitting(server);
  const all: Selling[] = [];
  for (let n = 0; n < SITES; n++) {
    const shop = await at.shop(undefined, `shop-${n}.example.com`);
    all.push({ shop, buyer: await at.buyer(shop) });
  }
  const nodes = new Nodes(env);
  await nodes.start();
  const senders = new Senders(server, nodes);
  const sending = senders.run(all);
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.all([senders.answered(ANSWERS_BETWEEN), pause(BETWEEN_MS)]);
    await nodes.replace(kill);
  }
  await senders.answered(ANSWERS_BETWEEN);
  senders.stop();
  await sending;

  const rows = await server.context.db.all<{ mandate_id: string; record_id: string }>(
    "SELECT mandate_id, record_id FROM decisions",
  );
  const stored = new Map(rows.map((row) => [row.mandate_id, row.record_id]));
  const differing = [...senders.decided].filter(([id, decision]) => stored.get(id) !== decision);
  expect(differing).toEqual([]);
  expect(rows).toHaveLength(senders.decided.size);
  const recorded = await server.context.db.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM audit_records WHERE type = 'mandate.decision'",
  );
  expect(Number(recorded?.count)).toBe(rows.length);
  for (const { shop } of all) {
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([] satisfies JsonObject[]);
  }
  // A single kill may find nothing under way.
  if (KILLS > 1) expect(senders.resent).toBeGreaterThan(0);
});

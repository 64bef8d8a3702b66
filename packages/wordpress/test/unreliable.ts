import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gatehouse } from "../../../test/gatehouse-process.ts";
import { deliverMessages } from "../../server/src/actions/notifications/deliver-messages.ts";
import { type Clock, systemClock } from "../../server/src/infra/clock.ts";
import { reconcileChanges } from "../../server/src/purchase/orders/change-payment.ts";
import { reconcilePayments } from "../../server/src/purchase/reconcile.ts";
import { forkNode, type NodeProcess } from "../../server/test/audit/node-process.ts";
import { cleanUp, freshEnvironment, startServer } from "../../server/test/harness.ts";
import type { Received } from "../../server/test/notifications/receiver.ts";
import { buying } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { AT_ONCE, isUnanswered, mortalWorkers, runAtOnce } from "./at-once.ts";
import type { Json } from "./connector-shop.ts";
import { Line } from "./line.ts";
import { connectShop, newShop, openForAgents } from "./market.ts";
import { startWordPress } from "./wordpress.ts";

const PATIENT = {
  GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
};

/** What a platform has accepted of its webhooks; it can refuse some, which are then sent again. */
function hearing(platform: Platform) {
  const webhooks = { accepted: [] as Received[], refuses: () => false };
  platform.takes = (response) => {
    if (webhooks.refuses()) return response.writeHead(503).end();
    webhooks.accepted.push(platform.news.at(-1) as Received);
    return response.end();
  };
  return webhooks;
}

/** Sends what waits in the shop. */
const SEND =
  "Gatehouse\\WooCommerce\\Product_Push::run(); Gatehouse\\WooCommerce\\Order_Change_Sender::run(); echo 1;";

const WORKERS = 8;

/** Signed documents on the shop's own domain. */
const DOCUMENTS = ["/agent", "/.well-known/agent-card.json", "/.well-known/ai-catalog.json"];

export type Unreliable = Awaited<ReturnType<typeof openUnreliable>>;

/** A shop, a Gatehouse and agents with lines between them that a test cuts, and one clock that it moves. */
export async function openUnreliable() {
  let aheadS = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadS * 1000,
    after: systemClock.after,
  };
  const toShop = await Line.start(() => wordpress.port);
  const toGatehouse = await Line.start(() => server.port);
  const fromAgents = await Line.start(() => server.port);
  const [wordpress, platform] = await Promise.all([
    startWordPress(() => AT_ONCE, { publicPort: toShop.port, workers: WORKERS }),
    Platform.start(),
  ]);
  const moveClock = (seconds: number) => {
    aheadS += seconds;
    writeFileSync(join(wordpress.folder, "www/wp-content/seconds-ahead"), String(aheadS));
  };
  moveClock(0);
  const domain = `localhost:${toShop.port}`;
  const fetchAllow = { GATEHOUSE_FETCH_ALLOW: `${domain},${platform.host}` };
  const publicUrl = `http://127.0.0.1:${fromAgents.port}`;
  const named = { ...fetchAllow, ...PATIENT, GATEHOUSE_BASE_URL: publicUrl };
  const env = { ...(await freshEnvironment("sqlite")), ...named };
  platform.wantsNews();
  const webhooks = hearing(platform);
  let server = await startServer(env, { clock });
  const samePort = { ...env, GATEHOUSE_PORT: String(server.port) };
  // Jobs run when a test says so.
  await server.context.jobs.stop();
  /** Stands in for the server, in a process of its own that can be killed. */
  let node: NodeProcess | undefined;
  const killed = { underWay: 0 };
  const shop = await newShop(server, domain);
  await openForAgents(shop, { orders_without_address: true });
  const connect = () => connectShop(shop, wordpress, `http://127.0.0.1:${toGatehouse.port}`);
  await connect();
  const at = buying({ ...server, url: publicUrl }, platform, clock);
  const agent = await at.buyer(shop);
  const workers = mortalWorkers(wordpress, WORKERS);
  const startAgain = async () => {
    server = await startServer(samePort, { clock });
    await server.context.jobs.stop();
  };
  /** A request that waited for a worker which died was not read by anybody. */
  const php = async (code: string): Promise<Json> => {
    const before = workers.deaths();
    try {
      return await runAtOnce(wordpress.port, code);
    } catch (error) {
      if (!isUnanswered(error) || workers.deaths() === before) throw error;
      return code === SEND ? "died" : runAtOnce(wordpress.port, code);
    }
  };

  return {
    toShop,
    toGatehouse,
    fromAgents,
    lines: { "to the shop": toShop, "to Gatehouse": toGatehouse, "from agents": fromAgents },
    wordpress,
    workers,
    killed,
    shop,
    at,
    agent,
    webhooks,
    moveClock,
    php,
    /** Sends what waits in the shop. */
    sendFromShop: () => php(SEND),
    connect,
    db: () => server.context.db,
    context: () => server.context,
    now: () => clock.now(),
    async deliver() {
      if (node === undefined) return deliverMessages(server.context);
      await Promise.race([node.ask({ deliver: true }).catch(() => undefined), node.died]);
    },
    async reconcile() {
      await reconcilePayments(server.context, () => false);
      await reconcileChanges(server.context, () => false);
    },
    async restartGatehouse() {
      await server.stop();
      await startAgain();
    },
    /** Kills Gatehouse while something is under way, at a named point or after a time. */
    async killGatehouse(when: string | number, traffic: () => Promise<unknown>) {
      await server.stop();
      const ahead = { CLOCK_AHEAD_MS: String(aheadS * 1000), WITHOUT_JOBS: "1" };
      node = await forkNode({ ...samePort, ...ahead });
      const { child, died } = node;
      if (typeof when === "string") await node.ask({ point: when, times: 1 });
      const timer = typeof when === "number" ? setTimeout(() => child.kill("SIGKILL"), when) : 0;
      try {
        await traffic();
        if (child.killed || child.signalCode !== null) killed.underWay++;
      } finally {
        clearTimeout(timer);
        child.kill("SIGKILL");
        await died;
        node = undefined;
        await startAgain();
      }
    },
    /** What `gatehouse verify` says of a document on the shop's own domain. */
    async verify(n: number): Promise<string[]> {
      const url = wordpress.url + DOCUMENTS[n % DOCUMENTS.length];
      const ahead = `const now = Date.now; Date.now = () => now() + ${aheadS * 1000};`;
      const preload = `--import=data:text/javascript,${encodeURIComponent(ahead)}`;
      const { code, out, err } = await gatehouse(["verify", url], { NODE_OPTIONS: preload });
      const isValid = code === 0 && err === "" && !out.includes("✗");
      return isValid ? [] : [`gatehouse verify ${url}: ${code}\n${out}\n${err}`];
    },
    server: () => server,
    async close() {
      platform.stop();
      await cleanUp();
      await wordpress.stop();
      for (const line of [toShop, toGatehouse, fromAgents]) line.close();
    },
  };
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliverMessages } from "../../server/src/actions/notifications/deliver-messages.ts";
import { type Clock, systemClock } from "../../server/src/infra/clock.ts";
import { reconcileChanges } from "../../server/src/purchase/orders/change-payment.ts";
import { reconcilePayments } from "../../server/src/purchase/reconcile.ts";
import { cleanUp, freshEnvironment, startServer } from "../../server/test/harness.ts";
import type { Received } from "../../server/test/notifications/receiver.ts";
import { buying } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { AT_ONCE, runAtOnce } from "./at-once.ts";
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

export type Unreliable = Awaited<ReturnType<typeof openUnreliable>>;

/** A shop and a Gatehouse with a line in each direction that a test cuts, and one clock that it moves. */
export async function openUnreliable() {
  let aheadS = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadS * 1000,
    after: systemClock.after,
  };
  const toShop = await Line.start(() => wordpress.port);
  const toGatehouse = await Line.start(() => server.port);
  const [wordpress, platform] = await Promise.all([
    startWordPress(() => AT_ONCE, { publicPort: toShop.port }),
    Platform.start(),
  ]);
  const moveClock = (seconds: number) => {
    aheadS += seconds;
    writeFileSync(join(wordpress.folder, "www/wp-content/seconds-ahead"), String(aheadS));
  };
  moveClock(0);
  const domain = `localhost:${toShop.port}`;
  const fetchAllow = { GATEHOUSE_FETCH_ALLOW: `${domain},${platform.host}` };
  const env = { ...(await freshEnvironment("sqlite")), ...fetchAllow, ...PATIENT };
  platform.wantsNews();
  const webhooks = hearing(platform);
  let server = await startServer(env, { clock });
  const samePort = { ...env, GATEHOUSE_PORT: String(server.port) };
  // Jobs run when a test says so.
  await server.context.jobs.stop();
  const shop = await newShop(server, domain);
  await openForAgents(shop, { orders_without_address: true });
  await connectShop(shop, wordpress, `http://127.0.0.1:${toGatehouse.port}`);
  const at = buying(server, platform, clock);
  const agent = await at.buyer(shop);

  return {
    toShop,
    toGatehouse,
    wordpress,
    shop,
    at,
    agent,
    webhooks,
    moveClock,
    php: (code: string) => runAtOnce(wordpress.port, code),
    db: () => server.context.db,
    context: () => server.context,
    now: () => clock.now(),
    deliver: () => deliverMessages(server.context),
    async reconcile() {
      await reconcilePayments(server.context, () => false);
      await reconcileChanges(server.context, () => false);
    },
    async restartGatehouse() {
      await server.stop();
      server = await startServer(samePort, { clock });
      await server.context.jobs.stop();
    },
    server: () => server,
    async close() {
      platform.stop();
      await cleanUp();
      await wordpress.stop();
      toShop.close();
      toGatehouse.close();
    },
  };
}

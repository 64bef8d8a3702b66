/**
 * The built service in a process of its own, as `serve` composes it. Its parent may ask it to end
 * itself without warning at a named point, to fill a log, to look after payments, to deliver messages, to
 * advance its clock, or how much memory it has needed.
 */
import { existsSync, readFileSync } from "node:fs";
import { deliverMessages } from "../../dist/actions/notifications/deliver-messages.js";
import { createApp } from "../../dist/app.js";
import { readConfig } from "../../dist/config/config.js";
import { createContext } from "../../dist/context.js";
import { listen } from "../../dist/http/server/server.js";
import { ManualClock, systemClock } from "../../dist/infra/clock.js";
import { planJobs } from "../../dist/jobs.js";
import { reconcileChanges } from "../../dist/purchase/orders/change-payment.js";
import { reconcilePayments } from "../../dist/purchase/reconcile.js";

let armed;
const crashPoint = (point) => {
  if (armed?.point !== point) return;
  armed.times--;
  if (armed.times === 0) process.kill(process.pid, "SIGKILL");
};

const env = process.env;
const listener = await listen({ ...readConfig(env), clock: systemClock });
const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
const aheadMs = Number(env.CLOCK_AHEAD_MS ?? 0);
/**
 * Its clock may be ahead: what is due only later is then due now. Or it stands still until the parent
 * advances it, so that nothing is due before the parent has the answers it waits for.
 */
const clock =
  env.CLOCK_STARTS_MS === undefined
    ? { ...systemClock, now: () => systemClock.now() + aheadMs }
    : new ManualClock(Number(env.CLOCK_STARTS_MS));
// The database's time is ahead as much: a node that differs from it approves nothing.
const databaseTime = async () => clock.now();
const context = await createContext(config, { crashPoint, clock, databaseTime });
// A test that watches what requests do runs the node without jobs.
if (env.WITHOUT_JOBS === undefined) {
  planJobs(context);
  await context.jobs.start();
}
listener.serve(createApp(context));

/** Records as many changes as asked for, in the batches the log takes them in. */
async function fill({ site, count }) {
  for (let written = 0; written < count; written += 256) {
    const batch = Array.from({ length: Math.min(256, count - written) }, (_, i) => {
      const change = { kind: "filled", number: written + i, text: "x".repeat(400) };
      const draft = { type: "site.changed", occurredAt: Date.now(), content: { change } };
      return context.audit.commit(site, async () => ({ records: [draft], answer: null }));
    });
    await Promise.all(batch);
  }
}

/** What this program needed at most. (What getrusage says counts the parent it was forked from.) */
function peakKb() {
  const status = "/proc/self/status";
  if (!existsSync(status)) return process.memoryUsage.rss() / 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]);
}

process.on("message", async (message) => {
  if (message.point !== undefined) armed = message;
  if (message.advance !== undefined) clock.advance(message.advance);
  if (message.fill !== undefined) await fill(message.fill);
  if (message.reconcile !== undefined) {
    await reconcilePayments(context, () => false);
    await reconcileChanges(context, () => false);
  }
  if (message.deliver !== undefined) await deliverMessages(context);
  process.send({ peakKb: peakKb() });
});
process.send({ port: listener.port });

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { generateEd25519, signWebhook, utf8 } from "@gatehouse/protocol";
import { transformSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import type { ManualClock } from "../../src/infra/clock.ts";
import { freshEnvironment, startServer } from "../harness.ts";
import { telling } from "./telling.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** The program of the guide, exactly as a reader would copy it, without its types. */
function program(): string {
  const guide = readFileSync(join(root, "docs/guide/notifications.md"), "utf8");
  const [, code = ""] = /\n```ts\n([\s\S]*?)\n```\n/.exec(guide) ?? [];
  return transformSync(code, { loader: "ts", format: "esm" }).code;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** The program, running; `line` waits for what it prints next. */
async function startProgram(...args: readonly string[]) {
  // Inside the checkout, so that the library is found as in a project that has it.
  const folder = mkdtempSync(join(root, "node_modules/.notification-program-"));
  const file = join(folder, "receiver.mjs");
  writeFileSync(file, program());
  const child = spawn(process.execPath, [file, ...args]);
  onTestFinished(() => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { line: async () => (await lines.next()).value as string };
}

test("the receiver in the webhook guide accepts what the service signed once, and nothing else", async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/hook`;
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: "127.0.0.1" };
  const server = await startServer(env);
  const owner = telling(server, server.context.clock as ManualClock);
  const shop = await owner.shop({ webhook_url: address });
  const receiver = await startProgram(server.url, shop.site_key_hash, address, String(port));
  expect(await receiver.line()).toBe("ready");
  const { escalationId } = await owner.escalate(shop);
  const body = await receiver.line();
  expect(JSON.parse(body).escalation.escalation_id).toBe(escalationId);

  const { keys, clock } = server.context;
  const messageId = JSON.parse(body).message_id;
  const send = async (sent: string, headers: Readonly<Record<string, string>>) =>
    (await fetch(address, { method: "POST", headers, body: sent })).status;
  const signed = async (sentAt: number, url = address, signer = keys.signer("card")) =>
    signWebhook({ url, body: utf8(body), messageId, sentAt }, await signer);
  const others = body.replace(shop.site_key_hash, "B".repeat(43));
  const ofAnother = { url: address, body: utf8(others), messageId, sentAt: clock.now() };
  const now = clock.now();
  const genuine = await signed(now);
  expect(await send(body, genuine)).toBe(204);
  expect(await send(body.replace("get_pricing", "get_prising"), genuine)).toBe(401);
  expect(await send(body, { ...genuine, "webhook-id": "msg_other" })).toBe(401);
  expect(await send(body, await signed(now - 600_000))).toBe(401);
  expect(await send(body, await signed(now, "http://127.0.0.1:1/hook"))).toBe(401);
  const stranger = generateEd25519((await keys.signer("card")).kid).then(({ signer }) => signer);
  expect(await send(body, await signed(now, address, stranger))).toBe(401);
  const { signature, ...unsigned } = genuine;
  expect([signature !== undefined, await send(body, unsigned)]).toEqual([true, 401]);
  expect(await send(others, await signWebhook(ofAnother, await keys.signer("card")))).toBe(401);
  const second = await owner.escalate(shop);
  // Nothing was printed in between: the repetition was known, the rest refused.
  expect(JSON.parse(await receiver.line()).escalation.escalation_id).toBe(second.escalationId);
});

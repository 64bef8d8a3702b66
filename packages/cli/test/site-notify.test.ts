import { beforeAll, expect, test } from "vitest";
import { deliverMessages } from "../../server/src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../server/src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { startReceiver } from "../../server/test/notifications/receiver.ts";
import { telling } from "../../server/test/notifications/telling.ts";
import { command } from "./command.ts";

const SHOP = "shop.example.com";
let server: TestServer;
let env: Record<string, string>;
let owner: ReturnType<typeof telling>;
let shop: Shop;
const clock = new ManualClock(NOON);
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const run = (...args: string[]) => command(["site", ...args], env);

beforeAll(async () => {
  receiver = await startReceiver();
  const base = {
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_FETCH_ALLOW: "127.0.0.1",
    GATEHOUSE_SMTP_URL: "smtp://127.0.0.1:9",
    GATEHOUSE_MAIL_FROM: "gate@example.com",
  };
  server = await startServer(base, { clock });
  await server.context.jobs.stop();
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  owner = telling(server, clock);
  shop = await owner.shop({ webhook_url: receiver.url });
  receiver.status(410);
  await owner.escalate(shop);
  return async () => {
    receiver.close();
    await cleanUp();
  };
});

test("an owner sees where notifications go, changes that and turns it off", async () => {
  expect((await run("notify", SHOP)).out).toBe(
    `webhook    ${receiver.url}\nemail      none\nquestions  on\n`,
  );
  const set = await run("notify", SHOP, "--email", "ann@example.com", "bob@example.com");
  expect(set.out).toMatch(/^email {6}ann@example.com, bob@example.com$/m);
  const json = await run("notify", SHOP, "--email", "none", "--json");
  expect(JSON.parse(json.out)).toEqual({
    webhook_url: receiver.url,
    webhook_format: "json",
    delivered_at: null,
    emails: [],
    mail_available: true,
    questions: true,
  });
  expect((await run("notify", SHOP, "--questions", "off")).out).toMatch(/^questions {2}off$/m);
  const chat = await run("notify", SHOP, "--format", "slack");
  expect(chat.out).toContain(`webhook    ${receiver.url} (slack)`);
  await run("notify", SHOP, "--format", "json");
  expect((await run("notify", SHOP, "--webhook", "none")).out).toMatch(/^webhook {4}none$/m);
  const wrong = await run("notify", SHOP, "--webhook", "https://10.0.0.1/");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("is an IP address")]);
});

test("a test notification reports the result for each channel, and fails if one did not arrive", async () => {
  receiver.status(200);
  const good = await run("notify", SHOP, "--webhook", receiver.url, "--test");
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("The message was delivered.")]);
  receiver.status(500);
  const bad = await run("notify", SHOP, "--email", "ann@example.com", "--test");
  expect([bad.code, bad.err]).toEqual([
    1,
    expect.stringMatching(/^Not every test message was delivered\.\nFix /),
  ]);
  expect(bad.out).toContain(
    `${receiver.url}: The message was not delivered: the receiver returned`,
  );
  expect(bad.out).toContain(
    "ann@example.com: The message was not delivered: the mail server could not be",
  );
});

test("messages are listed with their state, and can be sent again", async () => {
  receiver.status(410);
  await deliverMessages(server.context);
  const listed = await run("messages", SHOP, "--failed");
  expect(listed.out).toMatch(
    /^\S+Z +msg_\S+ +review\.requested +esc_\S+ +owner +http\S+ +failed +1 .*\(status 410\)$/m,
  );
  clock.advance(1000);
  await owner.escalate(shop);
  const { items } = JSON.parse((await run("messages", SHOP, "--json")).out);
  const times = items.map(({ created_at }: { created_at: string }) => created_at);
  expect(times).toEqual(times.toSorted().reverse());
  expect(new Set(times).size).toBe(2);
  const { message_id } = items.at(-1);
  const again = await run("messages", SHOP, "--resend", message_id);
  expect(again.out).toMatch(
    `Message ${message_id} will be sent again.\nCheck the delivery: gatehouse`,
  );
  receiver.status(200);
  await deliverMessages(server.context);
  expect((await run("messages", SHOP, "--failed")).out).toMatch(
    /^No failed messages\. List all: gatehouse site messages /,
  );
  expect((await run("messages", SHOP, "--resend", "msg_none")).code).toBe(1);
});

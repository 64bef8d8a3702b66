import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { startMailbox } from "./mailbox.ts";
import { isSigned, startReceiver } from "./receiver.ts";

const resolver = {
  addresses: async (host: string) => {
    if (host === "inside.example.com") return ["93.184.216.34", "10.0.0.7"];
    return host === "hooks.example.com" ? ["93.184.216.34"] : [];
  },
  txt: async () => [],
};

describe.each(TIER_DATABASES)("the notification settings of an owner, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let box: Awaited<ReturnType<typeof startMailbox>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let hash: string;
  const admin = (method: string, path: string, body?: unknown, token?: string) =>
    server.admin(method, `/v1/admin/sites/${hash}${path}`, body, token);
  const set = (body: unknown) => admin("PUT", "/notifications", body);
  beforeAll(async () => {
    box = await startMailbox();
    receiver = await startReceiver();
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_FETCH_ALLOW: new URL(receiver.url).host,
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
      GATEHOUSE_MAIL_FROM: "gate@example.com",
    };
    server = await startServer(env, { clock, resolver });
    hash = (await createSite(server, "shop.example.com")).site_key_hash;
    return async () => {
      receiver.close();
      await cleanUp();
      await box.close();
    };
  });

  test("are empty at first, and keep what a change leaves out", async () => {
    expect((await admin("GET", "/notifications")).body).toEqual({
      webhook_url: null,
      webhook_format: "json",
      emails: [],
      mail_available: true,
      questions: true,
      delivered_at: null,
    });
    const webhook_url = "https://hooks.example.com/a?b=c";
    expect((await set({ webhook_url: `${webhook_url}#d` })).body).toEqual({
      webhook_url,
      webhook_format: "json",
      emails: [],
      mail_available: true,
      questions: true,
      delivered_at: null,
    });
    expect((await set({ emails: ["ann@example.com"] })).body).toEqual({
      webhook_url,
      webhook_format: "json",
      emails: ["ann@example.com"],
      mail_available: true,
      questions: true,
      delivered_at: null,
    });
    expect((await set({ webhook_url: null })).body.webhook_url).toBe(null);
    expect((await admin("GET", "/notifications")).body.emails).toEqual(["ann@example.com"]);
    const unknown = await set({ webhook_url: "https://later.example.com/" });
    expect(unknown.status).toBe(200);
  });

  test("are recorded without a person's address or a path that may be secret", async () => {
    const emails = ["ann@example.com", "bob@example.com"];
    await set({ webhook_url: "https://hooks.example.com/s3cret", emails });
    const { items } = (await admin("GET", "/audit/records?limit=200&type=site.changed")).body;
    const changes = items.map(({ record }: { record: { change: object } }) => record.change);
    expect(changes).toContainEqual({
      kind: "notifications_set",
      webhook_host: "hooks.example.com",
      webhook_format: "json",
      emails: 2,
      questions: true,
    });
    expect(JSON.stringify(items)).not.toMatch(/s3cret|@example/);
  });

  test.each([
    ["plain http", "http://hooks.example.com/"],
    ["another port", "https://hooks.example.com:8443/"],
    ["an address of this machine", "https://127.0.0.1/"],
    ["an address of a private network", "https://[fd00::1]/"],
    ["a local name", "https://printer.local/"],
    ["a name that stands for a private address", "https://inside.example.com/"],
    ["credentials", "https://user:secret@hooks.example.com/"],
    ["no address at all", "hooks"],
    ["a line break", "https://hooks.example.com/\r\nX: y"],
    ["the empty text", ""],
  ])("refuse a webhook with %s", async (_name, webhook_url) => {
    const refused = await set({ webhook_url });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    expect(refused.body.message).toMatch(/^webhook_url: /);
    expect(refused.body.message).not.toContain("secret");
  });

  test.each([
    ["a line break", "ann@example.com\r\nBcc: bob@example.com"],
    ["a line break at its end", "ann@example.com\n"],
    ["two addresses", "ann@example.com,bob@example.com"],
    ["a display name", "Ann <ann@example.com>"],
    ["quotes", '"ann bob"@example.com'],
    ["a host without a dot", "ann@localhost"],
    ["an address as host", "ann@[127.0.0.1]"],
    ["letters outside ASCII", "änn@example.com"],
    ["no host", "ann@"],
    ["no local part", "@example.com"],
  ])("refuse a mail address with %s", async (_name, address) => {
    const refused = await set({ emails: ["bob@example.com", address] });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "emails: must be a list of addresses such as ann@example.com.",
    ]);
  });

  test("contain at most ten mail addresses, each once", async () => {
    const many = Array.from({ length: 11 }, (_, i) => `ann${i}@example.com`);
    expect((await set({ emails: many })).status).toBe(400);
    expect((await set({ emails: many.slice(1) })).status).toBe(200);
    expect((await set({ emails: ["ann@example.com", "Ann@example.com"] })).status).toBe(400);
  });

  test("can be seen and set only by the owner", async () => {
    const reviewer = { name: "R", role: "reviewer" };
    const { token } = (await admin("POST", "/tokens", reviewer)).body;
    for (const [method, path, body] of [
      ["GET", "/notifications", undefined],
      ["PUT", "/notifications", {}],
      ["POST", "/notifications/test", {}],
      ["GET", "/messages", undefined],
      ["POST", "/messages/msg_1/resend", {}],
    ] as const) {
      expect((await admin(method, path, body, token)).status).toBe(403);
    }
  });

  test("can be tested at once, with any problem in words", async () => {
    await set({ webhook_url: receiver.url, emails: ["ann@example.com"] });
    const mail = { kind: "mail", destination: "ann@example.com" };
    const webhook = { kind: "webhook", destination: receiver.url };
    const good = { delivered: true, says: "The message was delivered." };
    const tested = await admin("POST", "/notifications/test", {});
    expect(tested.body.results).toEqual([
      { ...webhook, ...good },
      { ...mail, ...good },
    ]);
    const got = receiver.received[0] as (typeof receiver.received)[0];
    expect(JSON.parse(got.body)).toMatchObject({ type: "notifications.test", site_key_hash: hash });
    expect(await isSigned(server.url, got)).toBe(true);
    expect(box.mails[0]?.text).toContain("This is a test message.");
    receiver.status(404);
    box.refuse = 550;
    const { results } = (await admin("POST", "/notifications/test", {})).body;
    expect(results.map(({ says }: { says: string }) => says)).toEqual([
      "The message was not delivered: the receiver returned status 404.",
      "The message was not delivered: the mail server does not accept email for this address (550).",
    ]);
    expect((await admin("GET", "/messages")).body.items).toEqual([]);
  });

  test("can be tested only a few times, and only if something is set", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const { status, headers } = await admin("POST", "/notifications/test", {});
      statuses.push(status);
      if (status === 429) expect(headers.get("retry-after")).toBe("60");
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    await set({ webhook_url: null, emails: [] });
    expect((await admin("POST", "/notifications/test", {})).body.error).toBe("conflict");
  });
});

test("an installation without a mail server refuses mail addresses, and says why", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const { site_key_hash } = await createSite(server, "shop.example.com");
  const path = `/v1/admin/sites/${site_key_hash}/notifications`;
  const refused = await server.admin("PUT", path, { emails: ["ann@example.com"] });
  expect([refused.status, refused.body.message]).toEqual([
    400,
    expect.stringContaining("GATEHOUSE_SMTP_URL"),
  ]);
  expect((await server.admin("GET", path)).body.mail_available).toBe(false);
});

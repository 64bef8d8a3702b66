import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { chatMessage } from "../../src/purchase/notices/chat-message.ts";
import { freshEnvironment, NOON, startServer, TIER_DATABASES } from "../harness.ts";
import { startReceiver } from "./receiver.ts";
import { telling } from "./telling.ts";

test("words of strangers become no link and no mention in Slack", () => {
  const words = { subject: "<!channel> & <https://evil.example|pay>", text: "" };
  expect(chatMessage("slack", "https://hooks.example/x", words).body).toEqual({
    text: "*&lt;!channel&gt; &amp; &lt;https://evil.example|pay&gt;*",
  });
});

describe.each(TIER_DATABASES)("notifications in a chat, on %s:", (dialect) => {
  async function open(webhook_format: string, path: string) {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const clock = new ManualClock(NOON);
    const env = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: "127.0.0.1" };
    const server = await startServer(env, { clock });
    await server.context.jobs.stop();
    const owner = telling(server, clock);
    const webhook_url = new URL(path, receiver.url).href;
    const shop = await owner.shop({ webhook_url, webhook_format });
    const { baseUrl } = server.context.config;
    return { receiver, owner, shop, baseUrl };
  }
  const CART = { protocol_context: { protocol: "ap2", cart_total: "60.50", cart_currency: "EUR" } };

  test("Slack gets a sentence with a link to the review", async () => {
    const { receiver, owner, shop, baseUrl } = await open("slack", "/services/T0/B0/x");
    const { escalationId } = await owner.escalate(shop, CART);
    await owner.deliver();
    const link = `${baseUrl}/console/shop.example.com/reviews/${escalationId}`;
    const domain = (await shop.admin("GET", "")).body.domain as string;
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        text: `*${domain}: €60.50 needs review*\n<${link.replace("shop.example.com", domain)}|Open in the console>`,
      },
    ]);
  });

  test("ntfy gets the topic of the address, a title, and the page that a tap opens", async () => {
    const { receiver, owner, shop } = await open("ntfy", "/roses");
    await owner.escalate(shop, CART);
    await owner.deliver();
    const [got] = receiver.received;
    expect(JSON.parse(got?.body ?? "{}")).toEqual({
      topic: "roses",
      title: expect.stringContaining("€60.50 needs review"),
      message: expect.stringContaining("needs review"),
      click: expect.stringContaining("/reviews/esc_"),
    });
    const tested = await shop.admin("POST", "/notifications/test", {});
    expect(tested.body.results[0].delivered).toBe(true);
    expect(JSON.parse(receiver.received[1]?.body ?? "{}").topic).toBe("roses");
  });

  test("are known to work once a message was delivered, until the addresses change", async () => {
    const { receiver, owner, shop } = await open("ntfy", "/roses");
    const deliveredAt = async () => (await shop.admin("GET", "/notifications")).body.delivered_at;
    receiver.status(500);
    await shop.admin("POST", "/notifications/test", {});
    expect(await deliveredAt()).toBe(null);
    receiver.status(200);
    await owner.escalate(shop, CART);
    await owner.deliver();
    expect(await deliveredAt()).toMatch(/^2\d{3}-/);
    await shop.admin("PUT", "/notifications", { questions: false });
    expect(await deliveredAt()).not.toBe(null);
    await shop.admin("PUT", "/notifications", {
      webhook_url: new URL("/lilies", receiver.url).href,
    });
    expect(await deliveredAt()).toBe(null);
    await shop.admin("POST", "/notifications/test", {});
    expect(await deliveredAt()).not.toBe(null);
  });
});

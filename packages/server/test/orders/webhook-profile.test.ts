import type { RequestListener } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, type World } from "../ucp/buying.ts";

const HOUR_MS = 3_600_000;
const PATH = "/.well-known/ucp";

describe.each(TIER_DATABASES)(
  "a webhook about an order names the shop's profile, on %s,",
  (dialect) => {
    const clock = new ManualClock(NOON);
    let { server, platform, at } = {} as World;
    let shop: Shop;
    let own: string;
    let others: World["platform"]["serve"];
    beforeAll(async () => {
      // The platform's web server is the shop's too.
      const allowed = { GATEHOUSE_FETCH_ALLOW: "127.0.0.1,shop.localhost" };
      const world = await openWorld(dialect, clock, allowed);
      ({ server, platform, at } = world);
      others = platform.serve;
      await server.context.jobs.stop();
      return world.close;
    });
    beforeEach(async () => {
      clock.advance(2 * HOUR_MS);
      platform.news.length = 0;
      platform.wantsNews();
      platform.serve = others;
      shop = await at.shop();
      const domain = platform.host.replace("127.0.0.1", "shop.localhost");
      own = `http://${domain}${PATH}`;
      await shop.admin("PATCH", "", { domain });
      await shop.admin("POST", "/verify", { method: "operator", reason: "the test" });
    });

    /** What stands on the shop's own domain. */
    const onDomain = (answer: RequestListener) => {
      platform.serve = (request, response) =>
        request.url === PATH ? answer(request, response) : others(request, response);
    };
    async function servesProfile() {
      const path = `/v1/ucp/${shop.site_key_hash}/profile`;
      const text = await (await fetch(server.url + path)).text();
      onDomain((_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(text);
      });
    }
    /** Buys something, and what the news of it says where the shop's profile is. */
    async function told() {
      platform.news.length = 0;
      await at.bought(shop);
      await deliverMessages(server.context);
      return platform.news[0]?.headers["ucp-agent"];
    }
    const hosted = () => `profile="${server.url}/v1/ucp/${shop.site_key_hash}/profile"`;

    test("on its own domain if it is served there, even while that does not answer", async () => {
      await servesProfile();
      expect(await told()).toBe(`profile="${own}"`);
      onDomain((request) => request.socket.destroy());
      clock.advance(2 * HOUR_MS);
      expect(await told()).toBe(`profile="${own}"`);
      onDomain((_request, response) => response.writeHead(404).end());
      clock.advance(2 * HOUR_MS);
      expect(await told()).toBe(hosted());
    });

    test.each<[string, RequestListener]>([
      ["no profile", (_request, response) => response.writeHead(404).end()],
      ["a redirect", (_request, response) => response.writeHead(302, { location: "/" }).end()],
      ["somebody else's profile", (_request, response) => response.end('{"ucp":{}}')],
      ["no answer", (request) => request.socket.destroy()],
    ])("at this service if the domain has %s", async (_what, answer) => {
      onDomain(answer);
      expect(await told()).toBe(hosted());
    });
  },
);

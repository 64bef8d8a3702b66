import fc from "fast-check";
import { expect, test } from "vitest";
import type { Agent } from "../../src/domain/agents/agent.ts";
import type { Queries } from "../../src/infra/db/database.ts";
import { webName } from "../../src/infra/web-name.ts";
import { identityOfAgent, identityOfPlatform, UNSIGNED } from "../../src/purchase/identity.ts";
import { BASES, RENAMING, renamed } from "./renamings.ts";

const SEED = 20_261_116;
/** A list nobody has written into. */
const empty = { get: async () => undefined } as unknown as Queries;

test("no renaming of a profile's address creates another identity", async () => {
  const renamings = fc.asyncProperty(
    fc.constantFrom(...BASES),
    RENAMING,
    fc.boolean(),
    async (base, renaming, proven) => {
      const url = renamed(base, renaming);
      expect(webName(url)?.domain, url).toBe(base.domain);
      const { id, standing } = await identityOfPlatform(empty, "site", { url, proven });
      expect(id, url).toBe(proven ? base.domain : UNSIGNED);
      expect(standing).toBe("unlisted");
    },
  );
  await fc.assert(renamings, { numRuns: 1_000, seed: SEED });
});

test("tenants of a shared host are separate identities", () => {
  expect(webName("https://one.github.io/")?.domain).toBe("one.github.io");
  expect(webName("https://a.two.github.io/")?.domain).toBe("two.github.io");
});

test("an address without a registered name counts as its host, with any port", () => {
  expect(webName("http://127.0.0.1:4001/p")?.domain).toBe("127.0.0.1");
  expect(webName("http://0x7f.1:4002/q")?.domain).toBe("127.0.0.1");
  expect(webName("http://localhost:4001/")?.domain).toBe("localhost");
  expect(webName("http://a.shop.localhost:4001/")?.domain).toBe("shop.localhost");
  expect(webName("https://github.io/")?.domain).toBe("github.io");
});

test("addresses of one IPv6 /64 are one identity", () => {
  const [one, other] = ["https://[2001:db8::1]/", "https://[2001:db8:0:0:1:2:3:4]:8443/p"];
  expect(webName(one)?.domain).toBe(webName(other)?.domain);
  expect(webName("https://[2001:db8:0:1::1]/")?.domain).not.toBe(webName(one)?.domain);
});

test.each([
  "mailto:a@b.example",
  "urn:a:b",
  "platform.example",
  "",
  "ftp://platform.example/",
  `https://${"a.".repeat(127)}example/`,
  "https://./",
])("%j gives no identity", (url) => {
  expect(webName(url)).toBeUndefined();
});

test("an agent that the owner admitted counts as itself", async () => {
  const agent = { agentId: "agt_1", identity: "agt_1", createdAt: 7 } as Agent;
  const identity = { id: "agt_1", standing: "agent", knownSince: 7 };
  expect(await identityOfAgent(empty, agent)).toEqual(identity);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DnsAnswer, type DnsServer, startDnsServer } from "./dns-server.ts";
import { PUBLIC_V4, recordingFetch } from "./harness.ts";
import { ALIASES, HOSTILE_ADDRESSES, HOSTILE_ANSWERS } from "./hostile-answers.ts";
import { HOSTILE_URLS } from "./hostile-urls.ts";

/** Every name is public unless a test says otherwise, so only the client's own rules refuse. */
const answers = new Map<string, DnsAnswer>(Object.entries(ALIASES));
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer((name) => answers.get(name) ?? { addresses: [PUBLIC_V4] });
});

afterAll(() => dns.close());

describe("an address is refused by its form, before any lookup or connection:", () => {
  test.each(HOSTILE_URLS)("%s", async (_name, url) => {
    dns.queries.length = 0;
    const { safeFetch, targets } = recordingFetch(dns.server);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "not_allowed_url" });
    expect({ queries: dns.queries, targets }).toEqual({ queries: [], targets: [] });
  });
});

describe("a name is refused for what it resolves to, before any connection:", () => {
  async function expectRefused(answer: DnsAnswer, reason: string): Promise<void> {
    answers.set("hostile.example.com", answer);
    const { safeFetch, targets } = recordingFetch(dns.server);
    expect(await safeFetch.get("https://hostile.example.com/")).toMatchObject({
      ok: false,
      reason,
    });
    expect(targets).toEqual([]);
  }

  test.each(HOSTILE_ADDRESSES)("%s (%s)", (_name, address) =>
    expectRefused({ addresses: [address] }, "not_global_address"),
  );

  test.each(HOSTILE_ANSWERS)("%s", (_name, answer, reason) => expectRefused(answer, reason));
});

describe("a request for a public name is sent on port 443 if the name is written", () => {
  test.each([
    ["as it is", "https://example.com/", "example.com"],
    ["with its port", "https://example.com:443/", "example.com"],
    ["in capitals", "HTTPS://EXAMPLE.COM/", "example.com"],
    ["in another script", "https://bücher.example.com/", "xn--bcher-kva.example.com"],
    ["with a local label that is not its last", "https://localhost.example.com/", undefined],
    ["with an ending like a local one", "https://mylocal.example-local/", undefined],
    ["in 2,048 characters", `https://example.com/${"a".repeat(2048 - 20)}`, "example.com"],
  ])("%s", async (_name, url, host) => {
    const { safeFetch, targets } = recordingFetch(dns.server);
    expect(await safeFetch.get(url)).toMatchObject({ ok: true });
    expect(targets).toMatchObject([{ address: PUBLIC_V4, port: 443 }]);
    if (host !== undefined) expect(targets[0]?.url.host).toBe(host);
  });
});

describe("the development allow-list does not allow", () => {
  test.each([
    ["another port", ["127.0.0.1:8080"], "http://127.0.0.1:8081/"],
    ["another host", ["127.0.0.1:8080"], "http://127.0.0.2:8080/"],
    ["a name under the allowed one", ["localhost"], "http://shop.localhost/"],
    ["a name that ends like the allowed one", ["shop.localhost"], "http://my-shop.localhost/"],
    ["another scheme", ["localhost"], "ftp://localhost/"],
    ["user information", ["localhost"], "http://user:secret@localhost/"],
    ["the allowed host as a user name", ["localhost"], "http://localhost@example.com/"],
    ["plain http to a public name", ["localhost"], "http://example.com/"],
  ])("%s", async (_name, allow, url) => {
    dns.queries.length = 0;
    const { safeFetch, targets } = recordingFetch(dns.server, allow);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "not_allowed_url" });
    expect({ queries: dns.queries, targets }).toEqual({ queries: [], targets: [] });
  });

  test("a rebound address for an allowed name, which goes to loopback without a lookup", async () => {
    dns.queries.length = 0;
    const { safeFetch, targets } = recordingFetch(dns.server, ["shop.example.com:8080"]);
    expect(await safeFetch.get("http://shop.example.com:8080/")).toMatchObject({ ok: true });
    expect(targets).toMatchObject([{ address: "127.0.0.1", port: 8080 }]);
    expect(dns.queries).toEqual([]);
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { requestTarget } from "../src/request.ts";
import { startDnsServer } from "./dns-server.ts";
import { newClock, PUBLIC_V4, PUBLIC_V6, recordingFetch, serveHttp } from "./harness.ts";

type Answering = Parameters<typeof startDnsServer>[0];

async function fetchWith(answering: Answering) {
  const dns = await startDnsServer(answering);
  onTestFinished(() => dns.close());
  return { dns, ...recordingFetch(dns.server) };
}

/** Public when first asked, loopback ever after. */
const rebinding: Answering = (_name, _type, nth) => ({
  addresses: nth === 1 ? [PUBLIC_V4, PUBLIC_V6] : ["127.0.0.1", "::1"],
});

describe("a name that resolves differently after it was checked", () => {
  test("is looked up once, and the request goes to the checked address", async () => {
    const { dns, safeFetch, targets } = await fetchWith(rebinding);
    expect(await safeFetch.get("https://rebind.example.com/")).toMatchObject({ ok: true });
    expect(targets).toMatchObject([{ address: PUBLIC_V4, port: 443 }]);
    expect(targets[0]?.url.hostname).toBe("rebind.example.com");
    expect(dns.queries.toSorted()).toEqual(["A rebind.example.com", "AAAA rebind.example.com"]);
  });

  test("is checked again for the next request", async () => {
    const { safeFetch, targets } = await fetchWith(rebinding);
    await safeFetch.get("https://rebind.example.com/");
    expect(await safeFetch.get("https://rebind.example.com/", { fresh: true })).toMatchObject({
      ok: false,
      reason: "not_global_address",
    });
    expect(targets).toHaveLength(1);
  });

  test("is checked again for another page of the same host", async () => {
    const { safeFetch, targets } = await fetchWith(rebinding);
    await safeFetch.get("https://rebind.example.com/");
    expect(await safeFetch.get("https://rebind.example.com/other")).toMatchObject({
      ok: false,
      reason: "not_global_address",
    });
    expect(targets).toHaveLength(1);
  });
});

test("a host with only an IPv6 address is reached at the checked address", async () => {
  const { safeFetch, targets } = await fetchWith(() => ({ addresses: [PUBLIC_V6] }));
  expect(await safeFetch.get("https://six.example.com/")).toMatchObject({ ok: true });
  expect(targets).toMatchObject([{ address: PUBLIC_V6, port: 443 }]);
});

test("an alias of a public name is reached at the public address", async () => {
  const { safeFetch, targets } = await fetchWith((name) =>
    name === "shop.example.com" ? { cname: "cdn.example.net" } : { addresses: [PUBLIC_V4] },
  );
  expect(await safeFetch.get("https://shop.example.com/")).toMatchObject({ ok: true });
  expect(targets).toMatchObject([{ address: PUBLIC_V4 }]);
  expect(targets[0]?.url.hostname).toBe("shop.example.com");
});

test("the connection goes to the pinned address, and Host keeps the name", async () => {
  const hosts: (string | undefined)[] = [];
  const port = await serveHttp((request, response) => {
    hosts.push(request.headers.host);
    response.end("pinned");
  });
  // `.invalid` never resolves: only the pinned address can have led here.
  const url = new URL(`http://shop.invalid:${port}/`);
  const limits = { totalMs: 3000, bodyBytes: 64 };
  const result = await requestTarget({ url, address: "127.0.0.1", port }, limits, newClock());
  expect(result).toMatchObject({ ok: true, value: { body: Buffer.from("pinned") } });
  expect(hosts).toEqual([`shop.invalid:${port}`]);
});

test("the connection goes to the pinned address even if the URL names another port", async () => {
  const port = await serveHttp((_request, response) => response.end("pinned"));
  const target = { url: new URL("http://shop.invalid/"), address: "127.0.0.1", port };
  const result = await requestTarget(target, { totalMs: 3000, bodyBytes: 64 }, newClock());
  expect(result).toMatchObject({ ok: true });
});

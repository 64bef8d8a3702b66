import { generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { KeyDirectories } from "../src/key-directories.ts";
import { memoryShelf } from "../src/memory-shelf.ts";
import type { FetchedKeys } from "../src/runtime.ts";

const SOURCE = "https://agent.example.com/.well-known/http-message-signatures-directory";
const TYPE = "application/http-message-signatures-directory+json";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function newKey(members: Record<string, unknown> = {}) {
  const { publicKey } = generateKeyPairSync("ed25519");
  const jwk = { ...(publicKey.export({ format: "jwk" }) as JsonWebKey), ...members };
  const thumbprint = await calculateJwkThumbprint(jwk as never);
  return { jwk, thumbprint };
}

/** Directories over a network that answers as told, with a clock that stands still. */
function standing(first: unknown, more: Partial<FetchedKeys> = {}) {
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  const asked: string[] = [];
  const network = {
    answer: first,
    more,
    async fetchKeys(url: string): Promise<FetchedKeys | undefined> {
      asked.push(url);
      await Promise.resolve();
      if (network.answer === undefined) return undefined;
      const text =
        typeof network.answer === "string" ? network.answer : JSON.stringify(network.answer);
      return { contentType: TYPE, cacheControl: "", body: Buffer.from(text), ...network.more };
    },
  };
  const directories = new KeyDirectories({
    clock,
    fetch: () => Promise.reject(new Error("not asked here")),
    fetchKeys: (url) => network.fetchKeys(url),
    shelf: memoryShelf(),
    sharesWork: true,
    warn: () => undefined,
  });
  const find = async (thumbprint: string, ...sources: (string | undefined)[]) => {
    const source = sources.length === 0 ? SOURCE : sources[0];
    const found = await directories.find(source, thumbprint);
    return typeof found === "string" ? found : found.thumbprint;
  };
  return { clock, asked, network, find, directories };
}

describe("a key", () => {
  test("is found by its thumbprint in the directory that the request names, and in no other", async () => {
    const { jwk, thumbprint } = await newKey({ kid: "anything" });
    const { find, network } = standing({ keys: [jwk] });
    expect(await find(thumbprint)).toBe(thumbprint);
    expect(await find("anything")).toBe("unknown_key");
    network.answer = { keys: [] };
    expect(await find(thumbprint, "https://other.example.com/keys")).toBe("unknown_key");
  });

  test("is found in a key set, and in client metadata that contains one", async () => {
    const { jwk, thumbprint } = await newKey();
    const set = standing({ keys: [jwk] }, { contentType: "application/jwk-set+json" });
    expect(await set.find(thumbprint)).toBe(thumbprint);
    const client = standing({ jwks: { keys: [jwk] } }, { contentType: "application/json" });
    expect(await client.find(thumbprint)).toBe(thumbprint);
  });

  test("is found only while its own dates are valid", async () => {
    const now = Date.UTC(2030, 0, 1) / 1000;
    const early = await newKey({ nbf: now + 10 });
    const late = await newKey({ exp: now });
    const right = await newKey({ nbf: now, exp: now + 10 });
    const { find } = standing({ keys: [early.jwk, late.jwk, right.jwk] });
    expect(await find(right.thumbprint)).toBe(right.thumbprint);
    expect(await find(early.thumbprint)).toBe("unknown_key");
    expect(await find(late.thumbprint)).toBe("unknown_key");
  });
});

describe("no key is taken from", () => {
  test.each([
    ["a directory that does not answer", undefined, {}],
    ["a response of another type", { keys: [] }, { contentType: "text/html" }],
    ["a response that is not JSON", "<html>", {}],
    ["a response that is a list", [], {}],
    ["a response without keys", { hello: 1 }, {}],
    ["a response with 33 keys", { keys: Array(33).fill({}) }, {}],
    ["a response with a duplicate member", '{"keys":[],"keys":[]}', {}],
  ])("%s", async (_name, answer, more) => {
    const { find } = standing(answer, more);
    expect(await find("thumb")).toBe("not_reachable");
  });

  test.each([
    ["a request without a source", undefined, "unknown_key"],
    ["a source over http", "http://agent.example.com/keys", "not_reachable"],
    ["a machine in this network", "https://localhost/keys", "not_reachable"],
    ["an IPv4 address", "https://127.0.0.1/keys", "not_reachable"],
    ["an IPv6 address", "https://[::1]/keys", "not_reachable"],
  ])("%s, and nothing is fetched", async (_name, source, outcome) => {
    const { find, asked } = standing({ keys: [] });
    expect(await find("thumb", source)).toBe(outcome);
    expect(asked).toEqual([]);
  });
});

describe("a directory", () => {
  test("is fetched again when its response expires, after at least a minute and at most a day", async () => {
    const { jwk, thumbprint } = await newKey();
    for (const [cacheControl, fresh] of [
      ["", MINUTE],
      ["max-age=1", MINUTE],
      ["public, max-age=3600", HOUR],
      ["max-age=999999999", 24 * HOUR],
    ] as const) {
      const { find, asked, clock } = standing({ keys: [jwk] }, { cacheControl });
      await find(thumbprint);
      clock.advance(fresh - 1);
      await find(thumbprint);
      expect([cacheControl, asked.length]).toEqual([cacheControl, 1]);
      clock.advance(1);
      await find(thumbprint);
      expect([cacheControl, asked.length]).toEqual([cacheControl, 2]);
    }
  });

  test("is fetched again for a missing key, at most every five minutes", async () => {
    const old = await newKey();
    const next = await newKey();
    const { find, asked, clock, network } = standing(
      { keys: [old.jwk] },
      { cacheControl: "max-age=86400" },
    );
    await find(old.thumbprint);
    network.answer = { keys: [old.jwk, next.jwk] };
    expect(await find(next.thumbprint)).toBe("unknown_key");
    clock.advance(5 * MINUTE);
    expect(await find(next.thumbprint)).toBe(next.thumbprint);
    expect(asked).toHaveLength(2);
  });

  test("is fetched once for many requests at the same time", async () => {
    const { jwk, thumbprint } = await newKey();
    const { find, asked } = standing({ keys: [jwk] });
    await Promise.all(Array.from({ length: 50 }, () => find(thumbprint)));
    expect(asked).toHaveLength(1);
  });
});

describe("known keys", () => {
  test("stay valid for a day while their directory fails, and no longer", async () => {
    const { jwk, thumbprint } = await newKey();
    const { find, clock, network } = standing({ keys: [jwk] });
    await find(thumbprint);
    network.answer = undefined;
    clock.advance(24 * HOUR);
    expect(await find(thumbprint)).toBe(thumbprint);
    clock.advance(MINUTE);
    expect(await find(thumbprint)).toBe("not_reachable");
  });

  test("are dropped when a complete response no longer lists them", async () => {
    const { jwk, thumbprint } = await newKey();
    const { find, clock, network } = standing({ keys: [jwk] });
    await find(thumbprint);
    network.answer = { keys: [] };
    clock.advance(MINUTE);
    expect(await find(thumbprint)).toBe("unknown_key");
  });

  test("are not displaced by sources that never had any", async () => {
    const { jwk, thumbprint } = await newKey();
    const { find, network, clock } = standing({ keys: [jwk] });
    await find(thumbprint);
    network.answer = undefined;
    for (let n = 0; n <= 500; n++) await find("other", `https://none${n}.example.com/keys`);
    clock.advance(HOUR);
    expect(await find(thumbprint)).toBe(thumbprint);
  });

  test("are the only ones used while nothing more may be fetched", async () => {
    const { jwk, thumbprint } = await newKey();
    const { directories, find, asked } = standing({ keys: [jwk] });
    expect(await directories.find(SOURCE, thumbprint, false)).toBe("not_reachable");
    expect(asked).toEqual([]);
    await find(thumbprint);
    expect(await directories.find(SOURCE, thumbprint, false)).toMatchObject({ thumbprint });
  });

  test("are kept for at most five hundred directories", async () => {
    const { jwk, thumbprint } = await newKey();
    const { find, asked } = standing({ keys: [jwk] });
    for (let n = 0; n <= 500; n++) await find(thumbprint, `https://a${n}.example.com/keys`);
    await find(thumbprint, "https://a500.example.com/keys");
    expect(asked).toHaveLength(501);
    await find(thumbprint, "https://a0.example.com/keys");
    expect(asked).toHaveLength(502);
  });
});

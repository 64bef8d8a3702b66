import { expect, test } from "vitest";
import { trustedKeySet } from "../src/index.ts";

const OWN = "https://shop.example.com/.well-known/jwks.json";
const GATE = "https://gate.example.com/.well-known/jwks.json";

const card = (jwks_url: string, domain = "shop.example.com") => ({
  signing: {},
  site: { domain, jwks_url },
});
const keysOf = (document: ReturnType<typeof card>, from = "https://shop.example.com/card") =>
  trustedKeySet(new URL(from), document);

test("a card from its own domain may name its service's keys", () => {
  expect(keysOf(card(GATE))).toBe(GATE);
});

test.each(["other.example", "www.shop.example.com", "shop.example.com:8443"])(
  "a card from %s is checked with that server's own keys",
  (host) => {
    expect(keysOf(card(GATE), `https://${host}/card`)).toBe(
      `https://${host}/.well-known/jwks.json`,
    );
  },
);

test.each([
  ["plain http", "http://gate.example.com/keys.json"],
  ["a file", "file:///etc/keys.json"],
  ["a data URL", 'data:application/json,{"keys":[]}'],
  ["something that is not an address", "keys.json"],
  ["a name that only ends like this machine's", "http://evil-localhost/keys.json"],
])("a card may not name %s as its key set", (_what, address) => {
  expect(keysOf(card(address))).toBe(OWN);
});

test("on this machine, a key set may be fetched over plain http", () => {
  const keys = "http://127.0.0.1:8080/.well-known/jwks.json";
  expect(keysOf(card(keys))).toBe(keys);
});

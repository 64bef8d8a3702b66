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

test("a card from the very domain it speaks for may name its service's keys", () => {
  expect(keysOf(card(GATE))).toBe(GATE);
});

test.each(["other.example", "www.shop.example.com", "shop.example.com:8443"])(
  "a card from %s is believed by that server's own keys",
  (host) => {
    expect(keysOf(card(GATE), `https://${host}/card`)).toBe(
      `https://${host}/.well-known/jwks.json`,
    );
  },
);

test.each([
  ["plain http", "http://gate.example.com/keys.json"],
  ["a file", "file:///etc/keys.json"],
  ["data of its own", 'data:application/json,{"keys":[]}'],
  ["no address", "keys.json"],
  ["a name that only ends as this machine's", "http://evil-localhost/keys.json"],
])("a card may not name %s as its keys", (_what, address) => {
  expect(keysOf(card(address))).toBe(OWN);
});

test("on this machine plain http will do", () => {
  const keys = "http://127.0.0.1:8080/.well-known/jwks.json";
  expect(keysOf(card(keys))).toBe(keys);
});

import { createSignature, webcrypto } from "http-message-sig";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JsonValue, readAgentKey, verifyWebBotAuth } from "../../protocol/src/index.ts";
import { vectors } from "../../protocol/test/vectors.ts";
import { missing, startWordPress, type WordPress } from "./wordpress.ts";

interface Case {
  readonly name: string;
  readonly key: JsonValue;
  /** Where the key is; `*` for anywhere. */
  readonly source: string;
  readonly url: string;
  /** Seconds. */
  readonly now: number;
  readonly published: boolean;
  readonly life: number | null;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

const NOW = Date.UTC(2030, 4, 17, 12, 0, 0) / 1000;
const SOURCE = "https://agent.example/.well-known/http-message-signatures-directory";
const AGENT = 'sig1="https://agent.example"';
const COVERED = ["@authority", { name: "signature-agent", parameters: { key: "sig1" } }] as const;

let wordpress: WordPress;
beforeAll(async () => {
  if (missing === undefined) wordpress = await startWordPress();
});
afterAll(() => wordpress?.stop());

async function verdictsOfProtocol(cases: readonly Case[]) {
  return Promise.all(
    cases.map(async ({ url, fields, now, published, life, key: jwk, source }) => {
      const key = await readAgentKey(jwk);
      const verdict = await verifyWebBotAuth(
        { method: "GET", url, fields },
        {
          now: now * 1000,
          allowPublishedKeys: published,
          ...(life === null ? {} : { lifeMaxS: life }),
          findKey: async (asked, id) =>
            key?.thumbprint === id && ["*", asked].includes(source) ? key : "unknown_key",
        },
      );
      const { outcome, reason = null, keyId = null, agentUrl = null } = verdict;
      return { outcome, reason, key_id: keyId, agent_url: agentUrl };
    }),
  );
}

/** Both say the same of every request. */
async function expectSame(cases: readonly Case[]) {
  const theirs = await wordpress.evaluateFile("verify-requests.php", cases);
  const ours = await verdictsOfProtocol(cases);
  const named = (verdicts: readonly object[]) =>
    verdicts.map((verdict, index) => ({ name: cases[index]?.name, ...verdict }));
  expect(named(theirs)).toEqual(named(ours));
  return ours;
}

const publicPart = ({ d, p, q, dp, dq, qi, ...key }: Record<string, string>) => key;

describe.skipIf(missing !== undefined)("the plugin's check of signatures", () => {
  test.skipIf(vectors === undefined)(
    "agrees with the protocol package on the published vectors, with each kind of key",
    async ({ task }) => {
      const cases = (vectors?.webBotAuth ?? []).flatMap(({ name, key, url, created, fields }) => {
        const common = { key: publicPart(key), source: "*", now: created / 1000 + 1, fields };
        const life = Number.MAX_SAFE_INTEGER;
        const elsewhere = "https://other.example.com/";
        return [
          { ...common, name, url, life, published: true },
          { ...common, name: `${name}, published key`, url, life, published: false },
          { ...common, name: `${name}, moved`, url: elsewhere, life, published: true },
          { ...common, name: `${name}, long life`, url, life: null, published: true },
        ];
      });
      const verdicts = await expectSame(cases);
      const verified = verdicts.filter(({ outcome }) => outcome === "verified");
      expect(verified.length).toBeGreaterThanOrEqual(vectors?.webBotAuth.length ?? 0);
      Object.assign(task.meta, { outside: vectors?.webBotAuth.length });
    },
  );

  test("agrees with the protocol package on forged, changed, stale and malformed requests", async () => {
    const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign"])) as CryptoKeyPair;
    const key = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as unknown as JsonValue;
    const keyid = (await readAgentKey(key))?.thumbprint ?? "";
    const signer = webcrypto.signer(pair.privateKey);
    const times = { created: NOW - 10, expires: NOW + 300 };
    const url = "https://shop.example.com/prices?a=1";
    const signed = async (
      name: string,
      parameters: Record<string, string | number | undefined> = {},
      components: Parameters<typeof createSignature>[1]["components"] = COVERED,
      agent = AGENT,
    ): Promise<Case> => {
      const given = { ...times, keyid, tag: "web-bot-auth", ...parameters };
      const made = await createSignature(
        {
          kind: "request",
          method: "GET",
          targetUri: url,
          fields: [{ name: "signature-agent", value: agent }],
        },
        {
          components,
          signer,
          parameters: Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ),
        },
      );
      const fields = [
        { name: "Signature-Agent", value: agent },
        { name: "Signature-Input", value: made.signatureInput },
        { name: "Signature", value: made.signature },
      ];
      return { name, key, source: SOURCE, url, now: NOW, published: false, life: null, fields };
    };
    const good = await signed("good");
    const changed = (name: string, header: string, change: (value: string) => string): Case => ({
      ...good,
      name,
      fields: good.fields.map((field) =>
        field.name === header ? { ...field, value: change(field.value) } : field,
      ),
    });
    const input = (name: string, change: (value: string) => string) =>
      changed(name, "Signature-Input", change);
    const whole = ["@authority", "signature-agent"];
    const everything = ["@method", "@target-uri", "@scheme", "@path", "@query", ...COVERED];
    const verdicts = await expectSame([
      good,
      await signed("plain header", {}, whole, '"https://agent.example"'),
      await signed("everything covered", { nonce: 'a"b\\c', alg: "ed25519" }, everything),
      await signed("payment tag with path", { tag: "agent-payer-auth" }, ["@path", ...COVERED]),
      await signed("payment tag, no path", { tag: "agent-payer-auth" }),
      await signed("other tag", { tag: "something-else" }),
      await signed("nothing covered", {}, []),
      await signed("method alone", {}, ["@method", COVERED[1]]),
      await signed("agent not covered", {}, ["@authority"]),
      await signed("no created", { created: undefined }),
      await signed("no expires", { expires: undefined }),
      await signed("no keyid", { keyid: undefined }),
      await signed("future", { created: NOW + 120, expires: NOW + 300 }),
      await signed("expired", { created: NOW - 300, expires: NOW - 1 }),
      await signed("a day and more", { expires: NOW + 86_400 }),
      await signed("other key", { keyid: "A".repeat(43) }),
      await signed("http agent", {}, COVERED, 'sig1="http://agent.example"'),
      await signed("agent with path", {}, COVERED, 'sig1="https://agent.example/keys"'),
      await signed("agent of a file", {}, COVERED, 'sig1="https://Agent.example/k?x=1";type=cimd'),
      await signed("agent of a strange type", {}, COVERED, 'sig1="https://agent.example";type=x'),
      await signed("agent with a port", {}, COVERED, 'sig1="https://agent.example:8443"'),
      await signed("agent with the usual port", {}, COVERED, 'sig1="https://agent.example:443"'),
      await signed("agent with a password", {}, COVERED, 'sig1="https://a:b@agent.example"'),
      await signed("agent by address", {}, COVERED, 'sig1="https://127.0.0.1"'),
      await signed("agent by IPv6", {}, COVERED, 'sig1="https://[::1]"'),
      await signed("agent that is none", {}, COVERED, 'sig1="https://999.1.1.999"'),
      { ...good, name: "other host", url: "https://shop.example.org/prices" },
      { ...good, name: "other port", url: "https://shop.example.com:8443/prices" },
      { ...good, name: "default port", url: "https://shop.example.com:443/prices" },
      { ...good, name: "key elsewhere", source: "https://other.example/keys" },
      { ...good, name: "no signature", fields: good.fields.slice(0, 2) },
      changed("cut signature", "Signature", () => "sig1=:AAAA:"),
      changed("other label", "Signature", (value) => value.replace("sig1", "sig2")),
      changed("signature is text", "Signature", () => 'sig1="abc"'),
      changed("other agent", "Signature-Agent", () => 'other="https://evil.example"'),
      changed("agent is a number", "Signature-Agent", () => "sig1=5"),
      changed("agent is a list", "Signature-Agent", () => "sig1=(1 2)"),
      input("garbage", () => "garbage=("),
      input("cut", (value) => value.slice(0, -3)),
      input("opened", () => "(((("),
      input("trailing comma", (value) => `${value},`),
      input("twice", (value) => `${value}, ${value}`),
      input("parameter twice", (value) => `${value};tag="web-bot-auth"`),
      input("component twice", (value) => value.replace("(", '("@authority" ')),
      input("upper case", (value) => value.replace("@authority", "@Authority")),
      input("unknown part", (value) => value.replace("(", '("@query-param";name="a" ')),
      input("request target", (value) => value.replace("(", '("@request-target" ')),
      input("status", (value) => value.replace("(", '("@status" ')),
      input("absent header", (value) => value.replace("(", '("x-absent" ')),
      input("other algorithm", (value) => `${value};alg="rsa-pss-sha512"`),
      input("unknown algorithm", (value) => `${value};alg="hmac-sha256"`),
      input("keyid is a number", (value) => value.replace(/keyid="[^"]+"/, "keyid=5")),
      input("three more", (value) => [2, 3, 4].map((n) => value.replace("sig1", `s${n}`)).join()),
      input("blanks", (value) => value.replace(" ", " ".repeat(70))),
      input("17 parts", (value) =>
        value.replace("(", `(${[...Array(16).keys()].map((n) => `"x${n}" `).join("")}`),
      ),
    ]);
    const outcomes = new Set(verdicts.map(({ outcome }) => outcome));
    expect([...outcomes].sort()).toEqual(["invalid", "unsigned", "unverified", "verified"]);
  });
});

import { createSignature, webcrypto } from "http-message-sig";
import { describe, expect, test } from "vitest";
import {
  type FoundKey,
  type JsonValue,
  keySourceUrl,
  readAgentKey,
  readSignatureAgent,
  type SignedRequest,
  verifyWebBotAuth,
  type WebBotAuthOptions,
} from "../src/index.ts";
import { vectors } from "./vectors.ts";

const NOW = Date.UTC(2030, 4, 17, 12, 0, 0);
const SOURCE = "https://agent.example/.well-known/http-message-signatures-directory";

/** An agent with a key of its own, and what a site that knows it would find. */
async function newAgent() {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as unknown as JsonValue;
  const key = await readAgentKey(jwk);
  if (key === undefined) throw new Error("a key that cannot be read");
  return { key, signer: webcrypto.signer(pair.privateKey) };
}

type Agent = Awaited<ReturnType<typeof newAgent>>;

interface Wanted {
  readonly agentHeader?: string | undefined;
  readonly components?: Parameters<typeof createSignature>[1]["components"];
  readonly parameters?: Record<string, string | number | undefined>;
  readonly label?: string;
  readonly url?: string;
}

const COVERED = ["@authority", { name: "signature-agent", parameters: { key: "sig1" } }] as const;

async function signed({ key, signer }: Agent, wanted: Wanted = {}): Promise<SignedRequest> {
  const { agentHeader = 'sig1="https://agent.example"', label = "sig1" } = wanted;
  const url = wanted.url ?? "https://shop.example.com/prices";
  const agent = agentHeader === "" ? [] : [{ name: "Signature-Agent", value: agentHeader }];
  const seconds = NOW / 1000;
  const times = { created: seconds - 10, expires: seconds + 300 };
  const given = { ...times, keyid: key.thumbprint, tag: "web-bot-auth", ...wanted.parameters };
  const parameters = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const message = { kind: "request" as const, method: "GET", targetUri: url, fields: agent };
  const components = wanted.components ?? COVERED;
  const made = await createSignature(message, { label, components, parameters, signer });
  return {
    method: "GET",
    url,
    fields: [
      ...agent,
      { name: "Signature-Input", value: made.signatureInput },
      { name: "Signature", value: made.signature },
    ],
  };
}

function knowing({ key }: Agent, source: string | undefined = SOURCE): WebBotAuthOptions {
  const findKey = async (asked: string | undefined, thumbprint: string): Promise<FoundKey> =>
    asked === source && thumbprint === key.thumbprint ? key : "unknown_key";
  return { now: NOW, findKey };
}

describe("the published vectors", () => {
  test.skipIf(vectors === undefined)("are available", () => {
    expect((vectors?.webBotAuth.length ?? 0) > 0).toBe(true);
  });

  for (const { name, key, url, created, fields } of vectors?.webBotAuth ?? []) {
    test(`verify a signature: ${name}`, async ({ task }) => {
      const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicKey } = key;
      const found = await readAgentKey(publicKey);
      const options: WebBotAuthOptions = {
        now: created + 1000,
        findKey: async () => found ?? "unknown_key",
        lifeMaxS: Number.MAX_SAFE_INTEGER,
      };
      const request = { method: "GET", url, fields };
      const allowed = await verifyWebBotAuth(request, { ...options, allowPublishedKeys: true });
      expect(allowed.outcome).toBe("verified");
      expect((await verifyWebBotAuth(request, options)).reason).toBe("published_key");
      const elsewhere = { ...request, url: "https://other.example.com/" };
      const moved = await verifyWebBotAuth(elsewhere, { ...options, allowPublishedKeys: true });
      expect(moved.outcome).toBe("invalid");
      Object.assign(task.meta, { outside: 1 });
    });
  }

  if (vectors !== undefined) {
    const { body, base, signature } = vectors.directory;
    test("contain the draft's directory, whose key verifies the signature printed with it", async ({
      task,
    }) => {
      const [jwk] = JSON.parse(body).keys;
      const key = await readAgentKey(jwk);
      expect(key?.thumbprint).toBe(jwk.kid);
      const bytes = Uint8Array.from(atob(signature), (letter) => letter.charCodeAt(0));
      expect(await key?.verify(new TextEncoder().encode(base), bytes)).toBe(true);
      expect(await key?.verify(new TextEncoder().encode(`${base} `), bytes)).toBe(false);
      Object.assign(task.meta, { outside: 1 });
    });
  }

  for (const { name, header, entries } of vectors?.signatureAgents ?? []) {
    test(`are read from the header Signature-Agent: ${name}`, ({ task }) => {
      const read = readSignatureAgent(header);
      expect(read.ok ? read.value : []).toEqual([...entries]);
      Object.assign(task.meta, { outside: 1 });
    });
  }
});

describe("a signature", () => {
  test("is valid for the agent that is known by its source and its key", async () => {
    const agent = await newAgent();
    expect(await verifyWebBotAuth(await signed(agent), knowing(agent))).toEqual({
      outcome: "verified",
      tag: "web-bot-auth",
      agentUrl: SOURCE,
      keyId: agent.key.thumbprint,
    });
  });

  test("is valid with the older, plain form of Signature-Agent", async () => {
    const agent = await newAgent();
    const components = ["@authority", "signature-agent"];
    const request = await signed(agent, { agentHeader: '"https://agent.example"', components });
    expect((await verifyWebBotAuth(request, knowing(agent))).outcome).toBe("verified");
  });

  test("by a key from another address is not verified", async () => {
    const agent = await newAgent();
    const other = knowing(
      agent,
      "https://other.example/.well-known/http-message-signatures-directory",
    );
    const verdict = await verifyWebBotAuth(await signed(agent), other);
    expect([verdict.outcome, verdict.reason]).toEqual(["unverified", "unknown_key"]);
  });

  test("whose keys cannot be fetched is neither verified nor invalid", async () => {
    const agent = await newAgent();
    const options = { now: NOW, findKey: async () => "not_reachable" as const };
    const verdict = await verifyWebBotAuth(await signed(agent), options);
    expect([verdict.outcome, verdict.reason]).toEqual(["unverified", "not_reachable"]);
  });

  test("that somebody else made under the same name is invalid", async () => {
    const [agent, thief] = [await newAgent(), await newAgent()];
    const request = await signed({ ...thief, key: agent.key });
    expect((await verifyWebBotAuth(request, knowing(agent))).outcome).toBe("invalid");
  });

  test("for another host, port or scheme is invalid", async () => {
    const agent = await newAgent();
    const request = await signed(agent);
    for (const url of ["https://shop.example.com:8443/prices", "https://shop.example.org/prices"]) {
      expect((await verifyWebBotAuth({ ...request, url }, knowing(agent))).outcome).toBe("invalid");
    }
  });

  const seconds = NOW / 1000;
  const faults: readonly (readonly [string, Wanted, string])[] = [
    ["no component", { components: [] }, "covers_too_little"],
    ["the method alone", { components: ["@method", COVERED[1]] }, "covers_too_little"],
    [
      "no Signature-Agent among them",
      { components: ["@authority"] },
      "signature_agent_not_covered",
    ],
    ["no created", { parameters: { created: undefined } }, "no_times"],
    ["no expires", { parameters: { expires: undefined } }, "no_times"],
    ["no keyid", { parameters: { keyid: undefined } }, "policy_violation"],
    [
      "a date in the future",
      { parameters: { created: seconds + 120, expires: seconds + 300 } },
      "in_the_future",
    ],
    [
      "a date that is over",
      { parameters: { created: seconds - 300, expires: seconds - 1 } },
      "expired",
    ],
    ["more than a day of life", { parameters: { expires: seconds + 86_400 } }, "lives_too_long"],
    ["a payment tag and no path", { parameters: { tag: "agent-payer-auth" } }, "covers_too_little"],
    [
      "an address that is not https",
      { agentHeader: 'sig1="http://agent.example"' },
      "bad_signature_agent",
    ],
    [
      "a directory with a path",
      { agentHeader: 'sig1="https://agent.example/keys"' },
      "bad_signature_agent",
    ],
  ];
  for (const [name, wanted, reason] of faults) {
    test(`with ${name} is invalid`, async () => {
      const agent = await newAgent();
      const verdict = await verifyWebBotAuth(await signed(agent, wanted), knowing(agent));
      expect(verdict.outcome).toBe("invalid");
      expect(verdict.reason).toBe(reason);
    });
  }

  test("that was changed, repeated or cut is invalid, and nothing throws", async () => {
    const agent = await newAgent();
    const request = await signed(agent);
    const input = request.fields.find(({ name }) => name === "Signature-Input")?.value ?? "";
    const twice = input.replace('("@authority"', '("@authority" "@authority"');
    for (const value of [
      twice,
      `${input}, ${input}`,
      input.slice(0, -3),
      "((((",
      '"',
      `${input};=`,
    ]) {
      const fields = request.fields.map((field) =>
        field.name === "Signature-Input" ? { ...field, value } : field,
      );
      const verdict = await verifyWebBotAuth({ ...request, fields }, knowing(agent));
      expect(["invalid", "unsigned"].includes(verdict.outcome)).toBe(true);
    }
    const many = Array.from({ length: 9 }, (_, i) => `${input.replace("sig1", `sig${i + 2}`)}`);
    const fields = [
      { name: "Signature-Input", value: many.join(", ") },
      ...request.fields.slice(0, 1),
    ];
    expect((await verifyWebBotAuth({ ...request, fields }, knowing(agent))).reason).toBe(
      "malformed",
    );
  });

  test("is cheap to refuse, whatever a stranger adds to it", async () => {
    const agent = await newAgent();
    const request = await signed(agent);
    const blanks = { name: "x-padding", value: `a${" ".repeat(11_000)}z` };
    const beside = { ...request, fields: [...request.fields, blanks] };
    expect((await verifyWebBotAuth(beside, knowing(agent))).outcome).toBe("verified");
    const input = request.fields.find(({ name }) => name === "Signature-Input")?.value ?? "";
    const withInput = (value: string) => ({
      ...beside,
      fields: beside.fields.map((field) =>
        field.name === "Signature-Input" ? { ...field, value } : field,
      ),
    });
    const covered = withInput(input.replace(");", ' "x-padding");'));
    expect((await verifyWebBotAuth(covered, knowing(agent))).reason).toBe("malformed");
    const many = Array.from({ length: 16 }, (_, n) => `"x";key="k${n}"`).join(" ");
    const wide = withInput(input.replace(");", ` ${many});`));
    expect((await verifyWebBotAuth(wide, knowing(agent))).reason).toBe("covers_too_much");
  });

  test("by a P-256 key is valid too", async () => {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const key = await readAgentKey({ ...jwk } as never);
    const message = new Uint8Array([1, 2, 3]);
    const params = { name: "ECDSA", hash: "SHA-256" };
    const signature = new Uint8Array(await crypto.subtle.sign(params, pair.privateKey, message));
    expect(key?.algorithm).toBe("ecdsa-p256-sha256");
    expect(await key?.verify(message, signature)).toBe(true);
    expect(await key?.verify(new Uint8Array([1]), signature)).toBe(false);
  });

  test("is enough if it is the one valid of two, and other kinds of signature are ignored", async () => {
    const agent = await newAgent();
    const [good, bad] = [
      await signed(agent),
      await signed(agent, {
        parameters: { expires: seconds - 1, created: seconds - 9 },
        label: "sig0",
      }),
    ];
    const joined = (name: string) =>
      [bad, good]
        .map(({ fields }) => fields.find((field) => field.name === name)?.value)
        .join(", ");
    const fields = [
      good.fields[0] as SignedRequest["fields"][number],
      { name: "Signature-Input", value: joined("Signature-Input") },
      { name: "Signature", value: joined("Signature") },
    ];
    expect((await verifyWebBotAuth({ ...good, fields }, knowing(agent))).outcome).toBe("verified");
    const foreign = await signed(agent, { parameters: { tag: "something-else" } });
    expect((await verifyWebBotAuth(foreign, knowing(agent))).outcome).toBe("unsigned");
  });
});

test("keys are known by their thumbprint, whatever their id, and weak ones are refused", async () => {
  const jwk = {
    kty: "OKP",
    crv: "Ed25519",
    x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
    kid: "mine",
  };
  expect((await readAgentKey(jwk))?.thumbprint).toBe("poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
  const rsa = { kty: "RSA", e: "AQAB", n: "A".repeat(171) };
  for (const key of [
    rsa,
    { ...rsa, n: "A".repeat(684) },
    { ...rsa, n: "A".repeat(342), e: "A".repeat(342) },
    { kty: "oct", k: "AAAA" },
    { ...jwk, x: 5 },
    { ...jwk, x: "AA" },
    [],
    null,
  ]) {
    expect(await readAgentKey(key)).toBe(undefined);
  }
});

test("an agent is identified by its address without query and fragment", () => {
  const of = (uri: string, type: "cimd" | "jwks_uri") => keySourceUrl({ label: "a", uri, type });
  const one = of("https://Agent.example/card?x=1#y", "cimd");
  expect(one.ok ? one.value : "").toBe("https://agent.example/card");
  expect(of("https://user:pass@agent.example/", "jwks_uri").ok).toBe(false);
});

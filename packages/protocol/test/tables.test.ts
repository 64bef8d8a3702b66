import { describe, expect, test } from "vitest";
import {
  acceptsMandates,
  isSiteKey,
  isSiteKeyHash,
  KEY_ID_PREFIXES,
  PROTOCOLS,
  REASONS,
  type ReasonCode,
  reasonDocsSlug,
  siteKeyFrom,
  siteKeyHash,
  TAGS,
} from "../src/index.ts";

test("every reason has an error status, a full sentence and its own page", () => {
  const codes = Object.keys(REASONS) as ReasonCode[];
  for (const code of codes) {
    const { status, message } = REASONS[code];
    expect(status >= 400 && status < 600).toBe(true);
    expect(/^[A-Z].*\.$/.test(message)).toBe(true);
  }
  expect(new Set(codes.map(reasonDocsSlug)).size).toBe(codes.length);
});

test("rejected mandates use only the statuses of the contract", () => {
  const statuses = new Set(
    ["malformed", "signature_invalid", "policy_denied", "site_not_found", "body_too_large"].map(
      (code) => REASONS[code as ReasonCode].status,
    ),
  );
  expect([...statuses]).toEqual([400, 401, 403, 404, 413]);
});

test("tags and key ids are the contract's literals", () => {
  expect(TAGS.mandate).toBe("service-mandate-v1");
  expect(KEY_ID_PREFIXES.card).toBe("service-card-ed25519-v1-");
  expect(new Set(Object.values(TAGS)).size).toBe(Object.keys(TAGS).length);
});

describe("the table of protocols:", () => {
  test("mandates may name a2a, ap2 and mcp, and nothing else", () => {
    const accepted = PROTOCOLS.filter(({ id }) => acceptsMandates(id)).map(({ id }) => id);
    expect(accepted.sort()).toEqual(["a2a", "ap2", "mcp"]);
    for (const other of ["acp", "x402", "ucp", "", "A2A", "constructor"]) {
      expect(acceptsMandates(other)).toBe(false);
    }
  });

  test("every row has a scope, and the declared versions are those of the contract", () => {
    const versions = Object.fromEntries(PROTOCOLS.map(({ id, version }) => [id, version]));
    expect([versions.mcp, versions.ucp, versions.acp, versions.a2a, versions.ard]).toEqual([
      "2025-06-18",
      "2026-08-25",
      "2026-04-17",
      "a2a/1.2",
      "1.0",
    ]);
    expect(PROTOCOLS.every(({ scope }) => scope.length > 0)).toBe(true);
  });
});

describe("site keys", () => {
  test("of both kinds are recognized, and others are not", () => {
    expect(isSiteKey(siteKeyFrom(new Uint8Array(32).fill(7)))).toBe(true);
    expect(isSiteKey("sk_12345678")).toBe(true);
    expect(isSiteKey(`sk_${"x".repeat(120)}`)).toBe(true);
    for (const other of ["", "us_", "sk_1234567", `sk_${"x".repeat(121)}`, "pk_12345678"]) {
      expect(isSiteKey(other)).toBe(false);
    }
  });

  test("hash to 43 characters of base64url", async () => {
    const hash = await siteKeyHash("sk_12345678");
    expect(hash).toBe("NuRKsQxylJzbZcSqaEeNsUu0A8UMPGYO1vp4j5RVDEk");
    expect(isSiteKeyHash(hash)).toBe(true);
  });
});

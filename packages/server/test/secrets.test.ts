import { expect, test } from "vitest";
import { createLog } from "../src/infra/log/log.ts";
import { redact } from "../src/infra/log/redact.ts";
import { createSecrets } from "../src/infra/secrets/secrets.ts";

const secrets = createSecrets(new Uint8Array(32).fill(1));
const other = createSecrets(new Uint8Array(32).fill(2));

test("a sealed value opens with its key at its own location", () => {
  const sealed = secrets.seal("sites/1/processor", "sk_live_0123456789");
  expect(sealed).not.toContain("sk_live");
  expect(secrets.open("sites/1/processor", sealed)).toBe("sk_live_0123456789");
});

test("the same value never seals to the same text", () => {
  expect(secrets.seal("a", "x")).not.toBe(secrets.seal("a", "x"));
});

test("a sealed value does not open at another location, with another key, or if it was changed", () => {
  const sealed = secrets.seal("sites/1", "value");
  expect(() => secrets.open("sites/2", sealed)).toThrow();
  expect(() => other.open("sites/1", sealed)).toThrow();
  const flipped = `${sealed.slice(0, -2)}${sealed.at(-2) === "A" ? "B" : "A"}${sealed.at(-1)}`;
  expect(() => secrets.open("sites/1", flipped)).toThrow();
  for (const damaged of ["", "v1.", "v2.AAAA", "v1.AAAA", "v1.not base64url"]) {
    expect(() => secrets.open("sites/1", damaged)).toThrow();
  }
});

test("key ids distinguish keys without revealing them", () => {
  expect(secrets.keyId).not.toBe(other.keyId);
});

test("no secret reaches the log, by its name or by its form", () => {
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const token = `gha_${"x".repeat(43)}`;
  const leaks = [
    token,
    "sk_live_51HxyzABCDEF0123",
    "whsec_0123456789abcdef",
    "tok_visa_0123456789",
    "hunter2-password",
    "postgres-password-1",
  ];
  log.info(
    {
      headers: { authorization: `Bearer ${token}`, cookie: "hunter2-password" },
      nested: [{ secret_key: "sk_live_51HxyzABCDEF0123", password: "hunter2-password" }],
      note: `the token ${token} and whsec_0123456789abcdef and tok_visa_0123456789`,
      error: new Error("connect postgres://gate:postgres-password-1@db/x failed", {
        cause: new Error(`with ${token}`),
      }),
    },
    "test.event",
  );
  for (const leak of leaks) expect(lines.join("")).not.toContain(leak);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ level: "info", event: "test.event" });
});

test("logged values are limited in depth, width and length", () => {
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let i = 0; i < 50; i++) {
    at.next = {};
    at = at.next as Record<string, unknown>;
  }
  const wide = Array.from({ length: 5000 }, () => "item");
  const text = JSON.stringify(redact({ deep, wide, long: "x".repeat(100_000) }));
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain("[deep]");
});

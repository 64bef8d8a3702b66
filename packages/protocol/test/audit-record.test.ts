import { describe, expect, test } from "vitest";
import {
  type AuditRecord,
  canonicalize,
  concatBytes,
  generateEd25519,
  NO_PREVIOUS_HASH,
  RECORD_BYTES_MAX,
  RECORD_TYPES,
  readRecord,
  sealRecord,
  sha256,
  signRecord,
  toHex,
  utf8,
  verifyRecord,
} from "../src/index.ts";

const NOON = "2030-05-17T12:00:00.000Z";
const record: AuditRecord = {
  schema: "audit-record/v1",
  chain: "shop.example.com/audit/1",
  seq: 7,
  prev_hash: NO_PREVIOUS_HASH,
  record_id: "rec_1",
  type: "mandate.decision",
  occurred_at: NOON,
  recorded_at: NOON,
  decision: { outcome: "approved", reason_codes: [], rules: [{ id: "r1", result: "allow" }] },
  amount: { currency: "EUR", minor: 1250 },
  note: "Fougère \u{1f337} </script>",
};
const { signer, jwk } = await generateEd25519("audit");
const { text, hash } = await sealRecord(record);
const signature = await signRecord(record, hash, signer);
const reasonOf = (result: { ok: boolean; reason?: string }) => (result.ok ? "" : result.reason);

describe("an audit record", () => {
  test("is hashed as a leaf: a zero byte followed by its canonical text", async () => {
    expect(text).toBe(canonicalize(record));
    expect(hash).toBe(toHex(await sha256(concatBytes(Uint8Array.of(0), utf8(text)))));
  });

  test("verifies as it was written, with its members in any order", async () => {
    expect((await verifyRecord(record, hash, signature, jwk)).ok).toBe(true);
    const turned = Object.fromEntries(Object.entries(record).reverse());
    expect((await verifyRecord(turned, hash, signature, jwk)).ok).toBe(true);
  });

  test("does not verify with any member changed, added or removed", async () => {
    for (const name of Object.keys(record)) {
      const { [name]: _lost, ...rest } = record;
      expect([name, (await verifyRecord(rest, hash, signature, jwk)).ok]).toEqual([name, false]);
    }
    const more = { ...record, extra: true };
    expect(reasonOf(await verifyRecord(more, hash, signature, jwk))).toBe("hash_mismatch");
    const dearer = { ...record, amount: { currency: "EUR", minor: 1251 } };
    expect(reasonOf(await verifyRecord(dearer, hash, signature, jwk))).toBe("hash_mismatch");
  });

  test("does not verify with another key, at another position, or in another log", async () => {
    const other = await generateEd25519("audit");
    expect(reasonOf(await verifyRecord(record, hash, signature, other.jwk))).toBe(
      "signature_invalid",
    );
    for (const change of [{ seq: 8 }, { chain: "shop.example.com/audit/2" }]) {
      const moved = { ...record, ...change };
      const sealed = await sealRecord(moved);
      expect(reasonOf(await verifyRecord(moved, sealed.hash, signature, jwk))).toBe(
        "signature_invalid",
      );
    }
  });

  test.each([
    ["a fraction", { amount: { minor: 1.5 } }],
    ["a number beyond exact integers", { amount: { minor: 2 ** 53 } }],
    ["an upper-case letter in a name", { Note: 1 }],
    ["an accent in a name", { é: 1 }],
    ["an unknown type", { type: "mandate.forgotten" }],
    ["a negative position", { seq: -1 }],
    ["a time without milliseconds", { recorded_at: "2030-05-17T12:00:00Z" }],
    ["a short hash", { prev_hash: "00" }],
  ])("with %s is invalid", async (_what, change) => {
    const bad = { ...record, ...change };
    expect(readRecord(bad).ok).toBe(false);
    let thrown = false;
    await sealRecord(bad as AuditRecord).catch(() => {
      thrown = true;
    });
    expect(thrown).toBe(true);
  });

  test("is never longer than a log entry may be", async () => {
    let thrown = false;
    await sealRecord({ ...record, note: "x".repeat(RECORD_BYTES_MAX) }).catch(() => {
      thrown = true;
    });
    expect(thrown).toBe(true);
  });

  test("has one of the known types", () => {
    expect([RECORD_TYPES.length, new Set(RECORD_TYPES).size]).toEqual([22, 22]);
  });
});

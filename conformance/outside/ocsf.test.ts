import { expect, test } from "vitest";
import { ocsfLine } from "../../packages/protocol/src/audit/ocsf.ts";
import {
  type AuditRecord,
  generateEd25519,
  type JsonObject,
  NO_PREVIOUS_HASH,
  RECORD_TYPES,
  type RecordType,
  sealRecord,
  signRecord,
} from "../../packages/protocol/src/index.ts";
import { complaintsBy, schemasAbsent } from "./schemas.ts";

const SCHEMA = "ocsf/api_activity-1.8.0.schema.json";
const TIME = "2030-05-17T12:00:00.000Z";
const { signer } = await generateEd25519("audit");
const amount = { currency: "EUR", minor: 1250 };

/** Everything that records of any type have, all at once: each line shows whatever is there. */
const everything = {
  site: "5f2a",
  node: "node-1",
  skill: "buy",
  protocol: "a2a",
  mandate_id: "m_1",
  amount,
  agent: { id: "agent_1", key_thumbprint: "thumb_1" },
  client: { address: "2001:db8:1::/48" },
  request: { id: "req_1", method: "POST", route: "/v1/mandates/{site}", digest: "d1" },
  decision: {
    outcome: "approved",
    reason_codes: ["policy_denied"],
    facts: { total: 1 },
    rules: [{ id: "r1", result: "allow" }],
    policy_version: 3,
    policy_digest: "p1",
  },
  parent_record_id: "rec_0",
  payment: { outcome: "authorized", processor: "stripe" },
  actor: { kind: "token", id: "tok_1", role: "owner" },
  review: { outcome: "denied", reason_code: "review_denied" },
  refusals: { reason_codes: ["malformed"], count: 12 },
  protocol_version: "2025-06-18",
  tool: { name: "search", args_digest: "a1", result_digest: "x1", outcome: "answered" },
  adjustment: { kind: "refund", id: "re_1" },
  change: { kind: "created", domain: "shop.example.com", status: "live", version: 2 },
  read: { chain: "shop.example.com/audit/1", from_seq: 0, to_seq: 6, count: 7 },
  export: { day: "2030-05-16", format: "ocsf", part: 1, parts: 1, first_seq: 0, count: 7 },
} satisfies JsonObject;

/** Every word a record may say it came out with, and one that none does. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  decision: ["approved", "escalated", "rejected", "rate_limited", "unavailable", "other"],
  payment: ["authorized", "declined", "unknown", "other"],
  review: ["approved", "denied", "expired", "withdrawn", "invalidated", "other"],
  tool: ["answered", "error", "refused", "rate_limited", "other"],
  adjustment: ["refund", "dispute", "other"],
  change: ["created", "changed", "skills_set", "verified", "unverified", "deleted", "other"],
};

async function eventOf(type: RecordType, content: JsonObject) {
  const record: AuditRecord = {
    schema: "audit-record/v1",
    chain: "shop.example.com/audit/1",
    seq: 7,
    type,
    prev_hash: NO_PREVIOUS_HASH,
    record_id: "rec_1",
    occurred_at: TIME,
    recorded_at: TIME,
    ...content,
  };
  const { text, hash } = await sealRecord(record);
  const sig = await signRecord(record, hash, signer);
  return JSON.parse(await ocsfLine({ text, hash, sig, key_id: "k1" }, { version: "1.2.3" }));
}

/** A record with every member, with none, with each alone, and in all words. */
function* contents(): Generator<JsonObject> {
  yield everything;
  yield {};
  for (const [name, member] of Object.entries(everything)) yield { [name]: member };
  for (const [name, words] of Object.entries(WORDS)) {
    const whole = everything[name as keyof typeof everything] as JsonObject;
    for (const word of words) {
      const said = "kind" in whole ? { kind: word } : { outcome: word };
      yield { [name]: said };
      yield { ...everything, [name]: { ...whole, ...said } };
    }
  }
}

/** A record with every member, one of them, or one inside it, not as it should be. */
function* damaged(): Generator<JsonObject> {
  const hostile = "a\n\u2028\"'\\".repeat(200);
  for (const [name, member] of Object.entries(everything)) {
    for (const other of [null, 7, "", hostile, [], [null, 7, "", {}], {}]) {
      yield { ...everything, [name]: other };
      if (typeof member !== "object") continue;
      for (const inner of Object.keys(member)) {
        yield { ...everything, [name]: { ...member, [inner]: other } };
      }
    }
  }
}

test.skipIf(schemasAbsent)("every record is a valid event of OCSF 1.8.0", async ({ task }) => {
  const complaints = complaintsBy(SCHEMA);
  for (const type of RECORD_TYPES) {
    for (const content of contents()) {
      expect([type, content, complaints(await eventOf(type, content))]).toEqual([
        type,
        content,
        [],
      ]);
    }
  }
  Object.assign(task.meta, { outside: 1 });
});

test.skipIf(schemasAbsent)(
  "a record with damaged members is a valid event of OCSF 1.8.0",
  async ({ task }) => {
    const complaints = complaintsBy(SCHEMA);
    for (const type of ["mandate.decision", "site.changed"] as const) {
      for (const content of damaged()) {
        expect([type, content, complaints(await eventOf(type, content))]).toEqual([
          type,
          content,
          [],
        ]);
      }
    }
    Object.assign(task.meta, { outside: 1 });
  },
);

test.skipIf(schemasAbsent)(
  "a line that is not a record is a valid event of OCSF 1.8.0",
  async ({ task }) => {
    const complaints = complaintsBy(SCHEMA);
    for (const text of ["", "{", "null", "[]", '{"type":"constructor","seq":"x"}']) {
      const line = await ocsfLine({ text, hash: "", sig: "", key_id: "" }, { version: "1" });
      expect(complaints(JSON.parse(line))).toEqual([]);
    }
    Object.assign(task.meta, { outside: 1 });
  },
);

test.skipIf(schemasAbsent)("an incorrect event is refused", async ({ task }) => {
  const complaints = complaintsBy(SCHEMA);
  const event = await eventOf("mandate.decision", everything);
  const required = [
    "activity_id",
    "actor",
    "api",
    "category_uid",
    "class_uid",
    "metadata",
    "severity_id",
    "src_endpoint",
    "time",
    "type_uid",
  ];
  const wrong: JsonObject[] = [
    ...required.map((name) => ({ [name]: undefined as unknown as null })),
    { class_uid: 6004 },
    { category_uid: 3 },
    { type_uid: "600301" },
    { type_uid: 600305 },
    { activity_id: 5 },
    { severity_id: 7 },
    { disposition_id: 28 },
    { action_id: 5 },
    { time: TIME },
    { actor: {} },
    { src_endpoint: {} },
    { api: {} },
    { outcome: "approved" },
    { src_endpoint: { ip: "192.0.2.0/24" } },
    { raw_data_hash: { algorithm_id: 3 } },
    { metadata: { version: "1.8.0" } },
    { http_request: { http_method: "FETCH" } },
  ];
  for (const change of wrong) {
    // By way of JSON, so that a member made undefined is one that is missing.
    const mutant = JSON.parse(JSON.stringify({ ...event, ...change }));
    expect([change, complaints(mutant).length > 0]).toEqual([change, true]);
  }
  Object.assign(task.meta, { outside: 1 });
});

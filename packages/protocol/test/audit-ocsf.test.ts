import { describe, expect, test } from "vitest";
import { ocsfLine } from "../src/audit/ocsf.ts";
import {
  type AuditRecord,
  concatBytes,
  generateEd25519,
  type JsonObject,
  NO_PREVIOUS_HASH,
  RECORD_TYPES,
  type RecordType,
  type StoredEntry,
  sealRecord,
  sha256,
  signRecord,
  toHex,
  utf8,
  verifyRecord,
} from "../src/index.ts";

const { signer, jwk } = await generateEd25519("audit");
const CHAIN = "shop.example.com/audit/1";
const frame = {
  schema: "audit-record/v1",
  chain: CHAIN,
  seq: 7,
  prev_hash: NO_PREVIOUS_HASH,
  record_id: "rec_1",
  occurred_at: "2030-05-17T12:00:00.000Z",
  recorded_at: "2030-05-17T12:00:00.250Z",
  site: "5f2a",
  node: "node-1",
} as const;

async function entryOf(type: RecordType, content: JsonObject = {}): Promise<StoredEntry> {
  const record: AuditRecord = { ...frame, type, ...content };
  const { text, hash } = await sealRecord(record);
  return { text, hash, sig: await signRecord(record, hash, signer), key_id: "k1" };
}

const lineOf = (entry: StoredEntry) => ocsfLine(entry, { version: "1.2.3" });

async function eventOf(type: RecordType, content: JsonObject = {}) {
  return JSON.parse(await lineOf(await entryOf(type, content)));
}

const agent = { id: "agent_1", key_thumbprint: "thumb_1" };
const client = { address: "192.0.2.0/24" };
const amount = { currency: "EUR", minor: 1250 };
const token = { kind: "token", id: "tok_1", role: "owner" };
const request = { id: "req_1", method: "POST", route: "/v1/mandates/{site}", digest: "d1" };
const asked = { agent, client, request, amount, skill: "buy", protocol: "a2a", mandate_id: "m_1" };
const policy = { policy_version: 3, policy_digest: "p1", rules: [{ id: "r1", result: "allow" }] };
const decided = (outcome: string, ...reason_codes: string[]) => ({
  ...asked,
  decision: { outcome, reason_codes, facts: {}, ...policy },
});
const paid = (outcome: string) => ({
  parent_record_id: "rec_0",
  payment: { outcome, processor: "stripe" },
  amount,
});
const reviewed = (outcome: string, reason_code: string) => ({
  parent_record_id: "rec_0",
  actor: token,
  review: { outcome, reason_code },
});
const called = (outcome: string) => ({
  agent,
  client,
  request: { id: "42" },
  protocol_version: "2025-06-18",
  tool: { name: "search", args_digest: "a1", result_digest: "x1", outcome },
});
const changed = (kind: string) => ({
  actor: token,
  change: { kind, domain: "shop.example.com", status: "live", version: 2 },
});
const folded = (...reason_codes: string[]) => ({ refusals: { reason_codes, count: 12 } });
const adjusted = (kind: string) => ({ adjustment: { kind, id: "adj_re_1", amount } });

const APPROVED = "1 Allowed, 8 Approved, 1 Success, 1 Informational";
const REJECTED = "2 Denied, 25 Rejected, 1 Success, 2 Low";
const UNAUTHORIZED = "2 Denied, 26 Unauthorized, 1 Success, 2 Low";
const ESCALATED = "99 Escalated, 99 Escalated, 1 Success, 2 Low";
const CLOSED = "2 Denied, 27 Error, 2 Failure, 4 High";
const RAN = "1 Allowed, 1 Allowed, 1 Success, 1 Informational";
const FAILED = "1 Allowed, 1 Allowed, 2 Failure, 3 Medium";
const BLOCKED = "2 Denied, 2 Blocked, 2 Failure, 3 Medium";
const LOGGED = "3 Observed, 17 Logged, 1 Success, 1 Informational";
const UNSETTLED = "0 Unknown, 0 Unknown, 0 Unknown, 4 High";
const UNKNOWN = "0 Unknown, 0 Unknown, 0 Unknown, 0 Unknown";

const CREATE = "1 Create 600301 API Activity: Create";
const READ = "2 Read 600302 API Activity: Read";
const UPDATE = "3 Update 600303 API Activity: Update";
const DELETE = "4 Delete 600304 API Activity: Delete";
const INVOKE = "99 Invoke 600399 API Activity: Other";
const FOLD = "99 Fold 600399 API Activity: Other";

/** Name, type, content, then operation, activity and verdict. */
type Row = readonly [string, RecordType, JsonObject, string, string, string];

const decisions = (type: RecordType, operation: string, activity: string): Row[] => [
  [`${type} approved`, type, decided("approved"), operation, activity, APPROVED],
  [`${type} rejected`, type, decided("rejected", "policy_denied"), operation, activity, REJECTED],
  ...["signature_invalid", "identity_check_failed"].map((code): Row => {
    return [`${type} ${code}`, type, decided("rejected", code), operation, activity, UNAUTHORIZED];
  }),
  [`${type} escalated`, type, decided("escalated", "x"), operation, activity, ESCALATED],
  [`${type} rate_limited`, type, decided("rate_limited"), operation, activity, BLOCKED],
  [`${type} unavailable`, type, decided("unavailable"), operation, activity, CLOSED],
  [`${type} unheard of`, type, decided("constructor"), operation, activity, UNKNOWN],
  [`${type} bare`, type, {}, operation, activity, UNKNOWN],
];

const requested = { id: "chg_1", status: "completed", amount: { currency: "EUR", minor: 500 } };
const key = { key_id: "k1", vkey: "v" };
const made = { token_id: "adm_1", role: "reviewer" };
const accepted = { reason: "it was ahead", accepted_at: "2030-05-16T12:00:00.000Z" };
const person = { person_id: "per_1", role: "reviewer" };
const read = { chain: CHAIN, from_seq: 0, to_seq: 6, count: 7 };
const exported = { day: "2030-05-16", format: "ocsf", part: 1, parts: 1, first_seq: 0, count: 7 };

const ROWS: readonly Row[] = [
  ["genesis", "chain.genesis", { ...key, previous: null }, "chain.open", CREATE, LOGGED],
  ["closed", "chain.day_closed", { day: "2030-05-16" }, "chain.close_day", UPDATE, LOGGED],
  ["rotated", "chain.key_rotated", key, "chain.rotate_key", UPDATE, LOGGED],
  ...decisions("mandate.decision", "mandate.decide", CREATE),
  ...decisions("checkout.decision", "checkout.decide", CREATE),
  ...decisions("order.approval", "order.approve", UPDATE),
  ["paid", "payment.outcome", paid("authorized"), "payment.authorize", CREATE, APPROVED],
  ["unpaid", "payment.outcome", paid("declined"), "payment.authorize", CREATE, REJECTED],
  ["unsettled", "payment.outcome", paid("unknown"), "payment.authorize", CREATE, UNSETTLED],
  ["reviewed", "review.decision", reviewed("approved", ""), "review.decide", UPDATE, APPROVED],
  ...["denied", "expired", "withdrawn", "invalidated"].map((word): Row => {
    const content = reviewed(word, `review_${word}`);
    return [`review ${word}`, "review.decision", content, "review.decide", UPDATE, REJECTED];
  }),
  ["folded", "refusals.folded", folded("malformed"), "refusals.fold", FOLD, REJECTED],
  ["forged", "refusals.folded", folded("signature_invalid"), "refusals.fold", FOLD, UNAUTHORIZED],
  ["answered", "mcp.tools_call", called("answered"), "tools/call", INVOKE, RAN],
  ["tool error", "mcp.tools_call", called("error"), "tools/call", INVOKE, FAILED],
  ["refused", "mcp.tools_call", called("refused"), "tools/call", INVOKE, BLOCKED],
  ["limited", "mcp.tools_call", called("rate_limited"), "tools/call", INVOKE, BLOCKED],
  ["refund", "order.adjustment", adjusted("refund"), "order.adjust", UPDATE, LOGGED],
  ["dispute", "order.adjustment", adjusted("dispute"), "order.adjust", UPDATE, LOGGED],
  ["captured", "order.capture", { capture: requested }, "order.capture", UPDATE, LOGGED],
  ["refunded", "order.refund", { refund: requested }, "order.refund", UPDATE, LOGGED],
  ["created", "site.changed", changed("created"), "site.change", CREATE, RAN],
  ...["changed", "skills_set", "verified", "unverified"].map((word): Row => {
    return [`site ${word}`, "site.changed", changed(word), "site.change", UPDATE, RAN];
  }),
  ["deleted", "site.changed", changed("deleted"), "site.change", DELETE, RAN],
  ["read", "audit.read", { actor: token, read }, "audit.read", READ, RAN],
  ["exported", "audit.exported", { actor: token, export: exported }, "audit.export", READ, RAN],
  ["issued", "token.issued", { actor: token, token: made }, "token.issue", CREATE, RAN],
  ["revoked", "token.revoked", { actor: token, token: made }, "token.revoke", DELETE, RAN],
  ["accepted", "clock.accepted", { actor: token, clock: accepted }, "clock.accept", UPDATE, RAN],
  ["invited", "person.invited", { actor: token, person }, "person.invite", CREATE, RAN],
  ["joined", "person.joined", { person }, "person.join", UPDATE, RAN],
  ["person changed", "person.changed", { actor: token, person }, "person.change", UPDATE, RAN],
];

/** What the class demands of every event. */
const REQUIRED = [
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

/** What any line has to hold, whatever record it shows. */
async function expectWhole(entry: StoredEntry): Promise<void> {
  const line = await lineOf(entry);
  expect(/[\n\r\v\f\u0085\u2028\u2029]/.test(line)).toBe(false);
  const event = JSON.parse(line);
  expect(event.raw_data).toBe(entry.text);
  expect(REQUIRED.filter((name) => event[name] === undefined)).toEqual([]);
  expect([event.category_uid, event.class_uid, event.metadata.version]).toEqual([6, 6003, "1.8.0"]);
  expect([typeof event.time, typeof event.api.operation]).toEqual(["number", "string"]);
  for (const party of [event.actor, event.src_endpoint]) {
    expect(Object.values(party).filter((value) => value !== "").length > 0).toBe(true);
  }
}

/** Copies of a record's content, each with one member missing or of another type. */
function* damaged(content: JsonObject): Generator<JsonObject> {
  for (const [name, member] of Object.entries(content)) {
    const { [name]: _lost, ...rest } = content;
    yield rest;
    for (const other of [null, 7, "", "text", true, [], [null, 7, [], {}], {}]) {
      yield { ...rest, [name]: other };
    }
    if (typeof member !== "object" || member === null || Array.isArray(member)) continue;
    for (const inner of damaged(member as JsonObject)) yield { ...rest, [name]: inner };
  }
}

describe("an audit record as an OCSF event", () => {
  test.each(ROWS)("for the case %s says what was done and with which result", async (...row) => {
    const [, type, content, operation, activity, verdict] = row;
    const event = await eventOf(type, content);
    const { activity_id, activity_name, type_uid, type_name } = event;
    expect(event.api.operation).toBe(operation);
    expect(`${activity_id} ${activity_name} ${type_uid} ${type_name}`).toBe(activity);
    const parts = ["action", "disposition", "status", "severity"];
    expect(parts.map((part) => `${event[`${part}_id`]} ${event[part]}`).join(", ")).toBe(verdict);
  });

  test.each(ROWS)("for the case %s proves the record from its line alone", async (...row) => {
    const [, type, content] = row;
    const entry = await entryOf(type, content);
    await expectWhole(entry);
    const { raw_data, raw_data_hash, unmapped } = JSON.parse(await lineOf(entry));
    const { hash, sig, ...place } = unmapped.audit;
    expect(toHex(await sha256(concatBytes(Uint8Array.of(0), utf8(raw_data))))).toBe(hash);
    expect((await verifyRecord(JSON.parse(raw_data), hash, sig, jwk)).ok).toBe(true);
    expect(place).toEqual({ chain: CHAIN, seq: 7, prev_hash: NO_PREVIOUS_HASH, key_id: "k1" });
    const value = toHex(await sha256(utf8(raw_data)));
    expect(raw_data_hash).toEqual({ algorithm_id: 3, algorithm: "SHA-256", value });
  });

  test("exists for every type of record", () => {
    const types = new Set(ROWS.map(([, type]) => type));
    expect([...types].sort()).toEqual([...RECORD_TYPES].sort());
  });

  test("says for a decision who requested what, and by which rules it was decided", async () => {
    const event = await eventOf("mandate.decision", decided("rejected", "policy_denied", "x"));
    const { metadata, actor, api, src_endpoint, http_request, resources, ...rest } = event;
    expect(metadata).toEqual({
      version: "1.8.0",
      profiles: ["security_control"],
      product: { name: "Gatehouse", vendor_name: "Gatehouse", version: "1.2.3" },
      uid: "rec_1",
      sequence: 7,
      event_code: "mandate.decision",
      log_name: CHAIN,
      log_version: "audit-record/v1",
      tenant_uid: "5f2a",
      original_time: "2030-05-17T12:00:00.000Z",
    });
    expect(actor).toEqual({ app_uid: "agent_1", session: { credential_uid: "thumb_1" } });
    expect(src_endpoint).toEqual({ ip: "192.0.2.0", subnet_uid: "192.0.2.0/24", uid: "agent_1" });
    expect(api).toEqual({
      operation: "mandate.decide",
      service: { name: "Gatehouse", uid: "5f2a" },
      request: { uid: "req_1", data: { digest: "d1", protocol: "a2a" } },
    });
    const url = { path: "/v1/mandates/{site}" };
    expect(http_request).toEqual({ http_method: "POST", url, uid: "req_1" });
    expect(resources).toEqual([
      { type: "mandate", uid: "m_1", data: amount },
      { type: "skill", name: "buy" },
    ]);
    expect([rest.time, rest.status_code]).toEqual([1905249600250, "rejected"]);
    expect(rest.status_detail).toBe("policy_denied, x");
    expect(rest.message).toBe("mandate.decide rejected");
    expect(rest.policy).toEqual({ name: "Site policy", uid: "p1", version: "3", is_applied: true });
    expect(rest.authorizations).toEqual([{ decision: "allow", policy: { uid: "r1" } }]);
  });

  test("names for a tool call the tool, its digests and the version of MCP", async () => {
    const { api, resources, http_request } = await eventOf("mcp.tools_call", called("answered"));
    const data = { tool: "search", args_digest: "a1", result_digest: "x1" };
    expect([api.version, api.request]).toEqual(["2025-06-18", { uid: "42", data }]);
    expect(resources).toEqual([{ type: "mcp.tool", name: "search" }]);
    expect(http_request).toBe(undefined);
  });

  test.each([
    ["refund", "order.adjustment", adjusted("refund"), { uid: "adj_re_1", data: amount }],
    ["refund", "order.refund", { refund: requested }, { uid: "chg_1", data: requested.amount }],
    ["audit.record", "payment.outcome", paid("unknown"), { uid: "rec_0", data: amount }],
    ["site", "site.changed", changed("created"), { uid: "5f2a", name: "shop.example.com" }],
    ["audit.log", "audit.read", { read }, { uid: CHAIN, data: read }],
    ["audit.log", "audit.exported", { export: exported }, { uid: CHAIN, data: exported }],
  ] as const)("names its resource as %s", async (kind, type, content, named) => {
    expect((await eventOf(type, content)).resources).toEqual([{ type: kind, ...named }]);
  });

  test("links to the decision it belongs to, and counts the records it combines", async () => {
    const { metadata, status_detail } = await eventOf("review.decision", reviewed("denied", "why"));
    expect([metadata.correlation_uid, status_detail]).toEqual(["rec_0", "why"]);
    expect((await eventOf("refusals.folded", folded("malformed"))).count).toBe(12);
  });

  test("leaves out what an event has no field for", async () => {
    const rules = [{ result: "allow" }, "r1", null, { id: "r2" }];
    const content = { request: { method: "FETCH", digest: "d1" }, decision: { rules } };
    const event = await eventOf("checkout.decision", content);
    const { http_request, api, policy, resources, authorizations } = event;
    expect([http_request, api.request, policy, resources].some((one) => one !== undefined)).toBe(
      false,
    );
    expect(authorizations).toEqual([{ policy: { uid: "r2" } }]);
    const text = '{"seq":"7"}';
    const { metadata } = JSON.parse(await lineOf({ text, hash: "00", sig: "s", key_id: "k" }));
    expect(metadata.sequence).toBe(undefined);
  });

  const job = { kind: "service", id: "recheck", role: "service" };
  const owner = { uid: "tok_1", type_id: 99, type: "Token", groups: [{ name: "owner" }] };
  const recheck = { uid: "recheck", type_id: 4, type: "Service", groups: [{ name: "service" }] };
  const gatehouse = { svc_name: "Gatehouse", instance_uid: "node-1" };
  const nobody = "Unidentified agent";
  test.each([
    ["a token", "site.changed", { actor: token }, { user: owner }, { uid: "tok_1" }],
    ["a job", "site.changed", { actor: job }, { app_name: "Gatehouse", user: recheck }, gatehouse],
    ["the service", "chain.genesis", {}, { app_name: "Gatehouse" }, gatehouse],
    ["an agent", "mcp.tools_call", { agent: { id: "a" } }, { app_uid: "a" }, { uid: "a" }],
    ...(["mandate.decision", "checkout.decision", "mcp.tools_call"] as const).map(
      (type) => [`nobody (${type})`, type, {}, { app_name: nobody }, { name: nobody }] as const,
    ),
  ] as const)("names %s as its actor", async (_who, type, content, actor, source) => {
    const event = await eventOf(type, content);
    expect([event.actor, event.src_endpoint]).toEqual([actor, source]);
  });

  test.each([
    ["2001:db8:1::/48", "2001:db8:1::"],
    ["0:0:0::/48", "0:0:0::"],
    ["198.51.100.0/24", "198.51.100.0"],
    ["unknown", undefined],
    ["256.0.0.0/24", undefined],
    ["1.2.3.4.5", undefined],
    ["1.2.3", undefined],
    ["2001:db8:1:2::/64", undefined],
    ["<script>", undefined],
  ])("uses the network %s as an address only if it is one", async (address, ip) => {
    const { src_endpoint } = await eventOf("mcp.tools_call", { agent, client: { address } });
    const network = ip === undefined ? {} : { ip, subnet_uid: address };
    expect(src_endpoint).toEqual({ uid: "agent_1", ...network });
  });

  test("is complete without any of a record's optional members, and with damaged ones", async () => {
    let lines = 0;
    for (const type of RECORD_TYPES) {
      const [, , content] = ROWS.find((row) => row[1] === type) as Row;
      for (const other of damaged(content)) {
        const sealed = await sealRecord({ ...frame, type, ...other });
        await expectWhole({ ...sealed, sig: "s", key_id: "k1" });
        lines++;
      }
    }
    expect(lines > 1000).toBe(true);
  });

  test.each([
    ["quotes", 'a"b\\"c\\\\"},{"class_uid":1,"'],
    ["line ends", "a\nb\r\nc\u0085d\u2028e\u2029f\v\fg\0h"],
    ["scripts of the world", "Fougère 花 \u{1f337} \u202e \ufeff </script>"],
    ["length", "x".repeat(50 * 1024)],
    ["length in bytes", "\u2028".repeat(17 * 1024)],
  ])("stays on one line with hostile text: %s", async (_what, text) => {
    const content = decided("approved") as JsonObject;
    const places: JsonObject[] = [
      { skill: text },
      { node: text },
      { agent: { id: text } },
      { decision: { outcome: text } },
      { decision: { outcome: "rejected", reason_codes: [text] } },
      { client: { address: text } },
    ];
    for (const place of places) {
      await expectWhole(await entryOf("mandate.decision", { ...content, ...place }));
    }
    const { actor } = await eventOf("mandate.decision", { agent: { id: text } });
    expect(actor.app_uid).toBe(text);
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"type":"constructor"}',
    '{"type":"__proto__","seq":"x"}',
    '{"type":"chain.genesis","recorded_at":"2030-99-99T00:00:00.000Z"}',
    '{"type":7,"chain":[],"record_id":{},"occurred_at":null}',
    `${"[".repeat(5000)}`,
  ])("is made even of a line that is not a record: %j", async (text) => {
    await expectWhole({ text, hash: "00", sig: "s", key_id: "k" });
  });
});

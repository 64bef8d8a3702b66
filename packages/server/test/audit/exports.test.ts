import { createHash } from "node:crypto";
import { verifyExportFile } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { actorDraft, serviceActor } from "../../src/domain/audit/drafts.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  createSite,
  type DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  TIER_DATABASES,
} from "../harness.ts";
import { auditKeys, exportDay, exportPart, exportPath, type Told, verdictOf } from "./exporting.ts";

const DAY_MS = 86_400_000;
const TODAY = "2030-05-17";
const TOMORROW = "2030-05-18";

async function startShop(dialect: (typeof DATABASES)[number] = "sqlite") {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment(dialect), { clock });
  const { site_key_hash: site } = await createSite(server, "shop.example.com");
  const write = (count: number) =>
    server.context.audit.commit(site, async () => ({
      records: Array.from({ length: count }, (_, i) =>
        actorDraft("site.changed", serviceActor("test"), clock.now(), {
          change: { kind: `n${i}` },
        }),
      ),
      answer: null,
    }));
  const get = (query: Record<string, string>, token?: string) =>
    server.admin("GET", exportPath(site, query), undefined, token);
  return { clock, server, site, write, get };
}

describe.each(TIER_DATABASES)("the parts of an export on %s", (dialect) => {
  test.each([
    [0, ["shop.example.com-2030-05-18"]],
    [1, ["shop.example.com-2030-05-18"]],
    [999, ["shop.example.com-2030-05-18"]],
    [1000, ["shop.example.com-2030-05-18"]],
    [1001, ["shop.example.com-2030-05-18-part-1-of-2", "shop.example.com-2030-05-18-part-2-of-2"]],
    [
      2001,
      [
        "shop.example.com-2030-05-18-part-1-of-3",
        "shop.example.com-2030-05-18-part-2-of-3",
        "shop.example.com-2030-05-18-part-3-of-3",
      ],
    ],
  ])("contain a whole day of %i records, and verify", async (count, names) => {
    const { clock, server, site, write } = await startShop(dialect);
    clock.advance(DAY_MS);
    // The first record of a day closes the one before it, and counts too.
    if (count > 0) await write(count - 1);
    if (count === 1) await server.context.audit.maintainLog(site);
    clock.advance(DAY_MS);
    const files = await exportDay(server, site, { day: TOMORROW });
    expect(files.map(({ name }) => name)).toEqual(names.map((name) => `${name}.json`));
    const bundles = files.map(({ text }) => JSON.parse(text).bundle);
    const counts = bundles.map((bundle) => [bundle.count, bundle.records.length, bundle.day_count]);
    const expected = names.map((_, i) => Math.min(1000, count - i * 1000));
    expect(counts).toEqual(expected.map((n) => [n, n, count]));
    expect(bundles.every(({ closed }) => closed)).toBe(true);
    const texts = files.map(({ text }) => text);
    const report = await verdictOf(texts, { keys: await auditKeys(server) });
    expect([report.findings, report.records]).toEqual([[], count]);
  });
});

describe("an export", () => {
  test("is of one moment: later records are in none of its parts", async () => {
    const { server, site, write } = await startShop();
    await write(1200);
    const first = await exportPart(server, exportPath(site, { day: TODAY }));
    await write(900);
    const second = await exportPart(server, first.next as string);
    expect([first.name, second.name]).toEqual([
      "shop.example.com-2030-05-17-part-1-of-2.json",
      "shop.example.com-2030-05-17-part-2-of-2.json",
    ]);
    expect(second.next).toBe(undefined);
    const report = await verdictOf([first.text, second.text], { keys: await auditKeys(server) });
    expect([report.findings, report.records, report.logs[0]?.closed]).toEqual([[], 1203, false]);
  });

  test("gives the same part again byte for byte, and any part out of order", async () => {
    const { server, site, write } = await startShop();
    await write(2500);
    const first = await exportPart(server, exportPath(site, { day: TODAY }));
    // A process that has forgotten the digests of the parts before makes them again.
    const third = await exportPart(server, exportPath(site, { day: TODAY, part: "3" }));
    const second = await exportPart(server, exportPath(site, { day: TODAY, part: "2" }));
    expect(await exportPart(server, exportPath(site, { day: TODAY, part: "3" }))).toEqual(third);
    const texts = [third, first, second].map(({ text }) => text);
    const report = await verdictOf(texts, { keys: await auditKeys(server) });
    expect(report.findings).toEqual([]);
  });

  test("starts with part 1, and can be continued for an hour or until the key changes", async () => {
    const { clock, server, site, write, get } = await startShop();
    await write(1500);
    const early = await get({ day: TODAY, part: "2" });
    expect([early.status, early.body.error]).toEqual([409, "conflict"]);
    await get({ day: TODAY });
    expect((await get({ day: TODAY, part: "2" })).status).toBe(200);
    expect((await get({ day: TODAY, part: "3" })).status).toBe(404);
    const token = (
      await server.admin("POST", "/v1/admin/tokens", { name: "A", role: "auditor", sites: [site] })
    ).body.token;
    expect((await get({ day: TODAY, part: "2" }, token)).status).toBe(409);
    clock.advance(3_600_000);
    expect((await get({ day: TODAY, part: "2" })).status).toBe(409);
    await get({ day: TODAY });
    await server.admin("POST", "/v1/admin/keys/rotate", { purpose: "audit", force: true });
    const later = await get({ day: TODAY, part: "2" });
    expect([later.status, later.body.message]).toEqual([409, expect.stringContaining("rotated")]);
  });

  test("says that a day is over only if the export's own record is from a later day", async () => {
    const { clock, server, site, write } = await startShop();
    clock.advance(DAY_MS / 2 - 1);
    // The batch is dated by the last millisecond of the day; its bodies run in the next.
    const { audit } = server.context;
    const slow = audit.commit(site, async () => {
      clock.advance(2);
      return { records: [], answer: null };
    });
    const exported = exportPart(server, exportPath(site, { day: TODAY }));
    await slow;
    const [first] = [await exported];
    await write(1);
    const second = await exportPart(server, exportPath(site, { day: TODAY }));
    const [one, two] = [first, second].map(({ text }) => JSON.parse(text).bundle);
    expect(one.closed ? one.day_count : two.day_count).toBe(two.day_count);
    expect(two.closed).toBe(true);
  });

  test("does not trust unsigned timestamps", async () => {
    const { clock, server, write, get } = await startShop();
    await write(5);
    clock.advance(DAY_MS);
    await write(1);
    const { db } = server.context;
    await db.run("DROP TRIGGER audit_records_no_update");
    await db.run("UPDATE audit_records SET recorded_at = ? WHERE seq >= 6", clock.now());
    const answer = await get({ day: TODAY });
    expect([answer.status, answer.body.error]).toEqual([503, "unavailable"]);
  });

  test("is recorded before it is sent, with the person who requested it", async () => {
    const { server, site } = await startShop();
    await exportDay(server, site, { day: TODAY, format: "ocsf" });
    const { body } = await server.admin("GET", `/v1/admin/sites/${site}/audit/records`);
    const { record } = body.items[0];
    expect([record.type, record.actor]).toEqual([
      "audit.exported",
      { kind: "token", id: "operator", role: "operator" },
    ]);
    expect(record.export).toEqual({
      chain: "shop.example.com/audit/1",
      day: TODAY,
      format: "ocsf",
      part: 1,
      parts: 1,
      first_seq: 0,
      count: 3,
    });
  });

  test("refuses days that do not exist, are in the future, or are before the log", async () => {
    const { get } = await startShop();
    expect((await get({ day: "2030-02-30" })).status).toBe(400);
    expect((await get({ day: "yesterday" })).status).toBe(400);
    expect((await get({ day: TOMORROW })).status).toBe(400);
    const before = await get({ day: "2030-05-16" });
    expect([before.status, before.body.message]).toEqual([
      404,
      "This log did not exist on 2030-05-16.",
    ]);
    expect((await get({ day: TODAY, chain: "other.example.com/audit/1" })).status).toBe(404);
    expect((await get({ day: TODAY, format: "xml" })).status).toBe(400);
  });

  test("is allowed for the site's own tokens, including reviewers and auditors", async () => {
    const { server, site, get } = await startShop();
    const other = await createSite(server, "other.example.com");
    const mint = async (role: string, sites: string[]) =>
      (await server.admin("POST", "/v1/admin/tokens", { name: role, role, sites })).body.token;
    expect((await get({ day: TODAY }, await mint("auditor", [site]))).status).toBe(200);
    expect((await get({ day: TODAY }, await mint("owner", [other.site_key_hash]))).status).toBe(
      404,
    );
    expect((await get({ day: TODAY }, "gha_unknown")).status).toBe(401);
  });

  test.each(["ocsf", "html"])("as %s comes with a signed note for the file", async (format) => {
    const { server, site, write } = await startShop();
    await write(1100);
    const files = await exportDay(server, site, { day: TODAY, format });
    const keys = await auditKeys(server);
    for (const [i, file] of files.entries()) {
      const query = { day: TODAY, format, part: String(i + 1), note: "true" };
      const note = await exportPart(server, exportPath(site, query));
      expect(note.name).toBe(`${file.name}.note`);
      const claim = await verifyExportFile(note.text, keys.values());
      const sha256 = createHash("sha256").update(file.text).digest("hex");
      expect(claim).toEqual({
        ok: true,
        value: {
          chain: "shop.example.com/audit/1",
          name: file.name,
          sha256,
          first_seq: i * 1000,
          count: i === 0 ? 1000 : 103,
        },
      });
    }
  });

  test("contains every policy version that its records name, and no other", async () => {
    const { server, site } = await startShop();
    const policy = (total: string) => ({
      policy: "rules/1",
      timezone: "Europe/Berlin",
      default: "deny",
      rules: [{ id: "max", effect: "allow", when: { "cart.total": { lte: { EUR: total } } } }],
    });
    const publish = async (total: string) =>
      (await server.admin("PUT", `/v1/admin/sites/${site}/policy`, policy(total))).body;
    const [one, two] = [await publish("10.00"), await publish("20.00")];
    expect([one.version, two.version]).toEqual([1, 2]);
    const decided = (minor: number, digest: string, mandate_id: string) =>
      server.context.audit.commit(site, async () => {
        const [agent, skill] = [{ id: "agt_1" }, "place_order"];
        const decision = {
          outcome: "approved",
          reason_codes: [],
          rule_id: "max",
          policy_digest: digest,
          facts: { agent, skill, cart: { total: minor, currency: "EUR" } },
          rules: [{ id: "max", result: "matched" }],
        };
        const mandate = { mandate_id, digest: "11".repeat(32) };
        const content = { agent, skill, mandate, amount: { currency: "EUR", minor }, decision };
        const type = "mandate.decision" as const;
        return { records: [{ type, occurredAt: NOON, content }], answer: null };
      });
    await decided(1500, two.digest, "mandate-1");
    const good = await exportDay(server, site, { day: TODAY });
    const { bundle } = JSON.parse(good[0]?.text as string);
    // Publishing a version names it too.
    expect(bundle.policies.map(({ version }: Told) => version)).toEqual([1, 2]);
    const trust = { keys: await auditKeys(server), replay: true };
    const report = await verdictOf([good[0]?.text as string], trust);
    expect([report.findings, report.decisions_replayed]).toEqual([[], 1]);
    // A server that approves against the rules, signing and chaining as it should, is caught.
    await decided(1500, one.digest, "mandate-2");
    const bad = await exportDay(server, site, { day: TODAY });
    const caught = await verdictOf([bad[0]?.text as string], trust);
    const { verdict } = caught.answers.replay;
    expect([verdict, caught.answers.integrity.verdict, caught.findings[0]]).toEqual([
      "fails",
      "holds",
      {
        about: "replay",
        chain: "shop.example.com/audit/1",
        seq: 7,
        text: "it says approved, but the rules say rejected",
      },
    ]);
  });
});

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
import { auditKeys, exportDay, exportDays, type Told, verdictOf } from "./exporting.ts";

const DAY_MS = 86_400_000;
const note = (text: string, at: number) =>
  actorDraft("site.changed", serviceActor("test"), at, { change: { kind: text } });

/** Something to wait for until the test lets it go on. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

async function startShop(dialect: (typeof DATABASES)[number]) {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment(dialect), { clock });
  const { site_key_hash: site } = await createSite(server, "shop.example.com");
  /** Records as an auditor gets them, whole days, oldest first. */
  const records = async () => {
    const parts = await exportDays(server, site);
    const texts = parts.map(({ text }) => text);
    const report = await verdictOf(texts, { keys: await auditKeys(server) });
    expect(report.findings).toEqual([]);
    return texts.flatMap((text) =>
      JSON.parse(text).bundle.records.map(({ record }: Told) => record),
    );
  };
  return { clock, server, site, records, audit: server.context.audit };
}

describe.each(TIER_DATABASES)("commits to the log on %s:", (dialect) => {
  test("a change and its records happen together or not at all", async () => {
    const { server, site, audit, records } = await startShop(dialect);
    const rename =
      (name: string) => async (tx: { run: (sql: string, ...v: string[]) => unknown }) => {
        await tx.run("UPDATE sites SET name = ? WHERE site_key_hash = ?", name, site);
        return { records: [note(name, NOON)], answer: name };
      };
    await audit.commit(site, rename("kept"));
    const lost = audit.commit(site, async (tx) => {
      await rename("lost")(tx);
      throw new Error("after the write");
    });
    await expect(lost).rejects.toThrow("after the write");
    const { body } = await server.admin("GET", `/v1/admin/sites/${site}`);
    const kinds = (await records()).flatMap(({ change }) => change?.kind ?? []);
    expect([body.name, kinds]).toEqual(["kept", ["created", "verified", "kept"]]);
  });

  test("each of many concurrent commits is recorded once, and a failing one affects no other", async () => {
    const { site, audit, records } = await startShop(dialect);
    const commits = Array.from({ length: 300 }, (_, i) =>
      audit.commit(site, async () => {
        if (i % 100 === 50) throw new Error(`commit ${i}`);
        return { records: [note(`n${i}`, NOON)], answer: i };
      }),
    );
    const settled = await Promise.allSettled(commits);
    const failed = settled.flatMap(({ status }, i) => (status === "rejected" ? [i] : []));
    expect(failed).toEqual([50, 150, 250]);
    const answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const ids = new Map((await records()).map((record) => [record.record_id, record.change?.kind]));
    for (const { answer, recordIds } of answers) {
      expect(ids.get(recordIds[0] as string)).toBe(`n${answer}`);
    }
    expect(ids.size).toBe(300);
  });

  test("a commit changes memory once, after it is durable and before its answer", async () => {
    const { server, site, audit } = await startShop(dialect);
    const changed: string[] = [];
    let runs = 0;
    const remember = (name: string) => async () => {
      runs++;
      const after = () => changed.push(name);
      return { records: [note(name, NOON)], answer: name, after: () => void after() };
    };
    const failing = () =>
      audit.commit(site, async () => {
        throw new Error("a neighbour failed");
      });
    const answered = (commit: Promise<{ answer: string }>) =>
      commit.then(({ answer }) => `${answer}: ${changed.includes(answer)}`);
    const settled = await Promise.allSettled([
      answered(audit.commit(site, remember("first"))),
      failing(),
      answered(audit.commit(site, remember("second"))),
      failing(),
    ]);
    const told = settled.map((one) => (one.status === "fulfilled" ? one.value : "failed"));
    expect(told).toEqual(["first: true", "failed", "second: true", "failed"]);
    expect(changed).toEqual(["first", "second"]);
    // Each failing neighbour had the others run again.
    expect(runs).toBeGreaterThanOrEqual(5);
    await server.context.db.run("DROP TABLE audit_records");
    await expect(audit.commit(site, remember("lost"))).rejects.toThrow();
    expect(changed).toEqual(["first", "second"]);
  });

  test("a commit that starts right after another's answer does not hang", async () => {
    const { site, audit, records } = await startShop(dialect);
    const commit = () =>
      audit.commit(site, async () => ({ records: [note("n", NOON)], answer: 0 }));
    const lane = async () => {
      for (let i = 0; i < 30; i++) await commit();
    };
    await Promise.all(Array.from({ length: 5 }, lane));
    expect((await records()).filter(({ change }) => change?.kind === "n").length).toBe(150);
  });

  test("a site with many waiting commits delays no other site, and keeps their order", async () => {
    const { server, site, audit, records } = await startShop(dialect);
    const { site_key_hash: other } = await createSite(server, "other.example.com");
    const body = (name: string) => async () => ({ records: [note(name, NOON)], answer: name });
    let answered = 0;
    const busy = Array.from({ length: 600 }, (_, n) =>
      audit.commit(site, body(`n${n}`)).then(() => answered++),
    );
    await audit.commit(other, body("other"));
    // Two batches of the busy site were queued before it.
    expect(answered).toBeLessThan(256);
    await Promise.all(busy);
    const kinds = (await records()).flatMap(({ change }) => change?.kind ?? []);
    expect(kinds.slice(2)).toEqual(Array.from({ length: 600 }, (_, n) => `n${n}`));
  });

  test("a site cannot fill the queue that all sites share", async () => {
    const { server, site, audit } = await startShop(dialect);
    const { site_key_hash: other } = await createSite(server, "other.example.com");
    const body = async () => ({ records: [note("n", NOON)], answer: 0 });
    const busy = Array.from({ length: 2_600 }, () => audit.commit(site, body));
    const settled = Promise.allSettled([audit.commit(other, body), ...busy]);
    const [first, ...rest] = await settled;
    expect(first.status).toBe("fulfilled");
    // On a busy machine others may be refused because their turn did not come in time.
    const refused = rest.filter((one) => one.status === "rejected" && /too much/.test(one.reason));
    expect(refused).toHaveLength(100);
  });

  test("every change of a site is one record in its own log, with the person who did it", async () => {
    const { server, site, records } = await startShop(dialect);
    const skills = [{ id: "get_pricing", enabled: true, url: "https://shop.example.com/pricing" }];
    await server.admin("PUT", `/v1/admin/sites/${site}/skills`, { skills });
    const token = await server.admin("POST", "/v1/admin/tokens", {
      name: "Ann",
      role: "owner",
      sites: [site],
    });
    await server.admin(
      "PATCH",
      `/v1/admin/sites/${site}`,
      { name: "Shop", audit_public: "hourly" },
      token.body.token,
    );
    // A newer proof of the same domain sends the first site back to pending: its log says so.
    const second = await createSite(server, "shop.example.com");
    await server.admin("DELETE", `/v1/admin/sites/${second.site_key_hash}`);
    const changes = (await records()).flatMap((record) =>
      record.type === "site.changed" ? [[record.change.kind, record.actor.id]] : [],
    );
    expect(changes).toEqual([
      ["created", "operator"],
      ["verified", "operator"],
      ["skills_set", "operator"],
      ["changed", token.body.token_id],
      ["unverified", "operator"],
    ]);
    const deleted = `/v1/admin/sites/${second.site_key_hash}/audit/records`;
    const { body } = await server.admin("GET", deleted);
    expect(body.items[0].record.change.kind).toBe("deleted");
  });

  test("a refused change is not recorded", async () => {
    const { server, site, records } = await startShop(dialect);
    const before = (await records()).length;
    const skills = [{ id: "get_pricing", enabled: true, url: "https://shop.example.com/" }];
    const answer = await server.admin("PUT", `/v1/admin/sites/${site}/skills`, {
      skills,
      version: 99,
    });
    expect(answer.status).toBe(409);
    const kinds = (await records()).slice(before).map(({ type }) => type);
    expect(kinds).toEqual(["audit.exported"]);
  });

  test("recorded times never go back, whatever the clock does", async () => {
    const { clock, site, audit, records } = await startShop(dialect);
    clock.advance(5000);
    await audit.commit(site, async () => ({ records: [note("late", clock.now())], answer: 0 }));
    clock.advance(-60_000);
    await audit.commit(site, async () => ({ records: [note("early", clock.now())], answer: 0 }));
    const [late, early] = (await records()).slice(-2);
    expect(early.recorded_at).toBe(late.recorded_at);
    expect(early.occurred_at < late.occurred_at).toBe(true);
  });
});

test("a commit that does not get its turn in time is refused and never starts", async () => {
  const { site, audit, records } = await startShop("sqlite");
  const busy = gate();
  const first = audit.commit(site, async () => {
    await busy.opened;
    return { records: [note("first", NOON)], answer: 0 };
  });
  // Taken into the batch with the first, or not at all: this one comes when that has begun.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  let begun = false;
  const second = audit.commit(site, async () => {
    begun = true;
    return { records: [note("second", NOON)], answer: 0 };
  });
  await expect(second).rejects.toThrow("the audit log is busy");
  busy.open();
  await first;
  const kinds = (await records()).flatMap(({ change }: Told) => change?.kind ?? []);
  expect([begun, kinds]).toEqual([false, ["created", "verified", "first"]]);
});

test("on PostgreSQL a commit that waits delays only those of its own site", async () => {
  const { server, site, audit, records } = await startShop("postgres");
  const { site_key_hash: other } = await createSite(server, "other.example.com");
  const [begun, busy] = [gate(), gate()];
  const body = (name: string) => async () => ({ records: [note(name, NOON)], answer: name });
  const first = audit.commit(site, async () => {
    begun.open();
    await busy.opened;
    return { records: [note("first", NOON)], answer: "first" };
  });
  await begun.opened;
  const second = audit.commit(site, body("second"));
  expect((await audit.commit(other, body("other"))).answer).toBe("other");
  busy.open();
  await Promise.all([first, second]);
  const kinds = (await records()).flatMap(({ change }: Told) => change?.kind ?? []);
  expect(kinds.slice(2)).toEqual(["first", "second"]);
});

describe.each(TIER_DATABASES)("the structure of a log on %s:", (dialect) => {
  test("the first record after midnight closes the day, and any empty days before", async () => {
    const { clock, server, site, audit, records } = await startShop(dialect);
    clock.advance(3 * DAY_MS);
    await audit.maintainLogs();
    const all = await records();
    const closed = all.filter(({ type }) => type === "chain.day_closed");
    expect(closed.map(({ day, through }) => [day, through])).toEqual([
      ["2030-05-17", "2030-05-19"],
    ]);
    const [empty] = await exportDay(server, site, { day: "2030-05-18" });
    const { bundle } = JSON.parse(empty?.text as string);
    expect([bundle.count, bundle.day_count, bundle.closed, bundle.parts]).toEqual([0, 0, true, 1]);
    // Tended already: nothing is owed until the next midnight.
    await audit.maintainLogs();
    expect((await records()).filter(({ type }) => type === "chain.day_closed").length).toBe(1);
  });

  test("a new key is recorded before it signs anything else, and both verify", async () => {
    const { server, site, records } = await startShop(dialect);
    const rotate = { purpose: "audit", force: true };
    expect((await server.admin("POST", "/v1/admin/keys/rotate", rotate)).status).toBe(200);
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "After" });
    const types = (await records()).map(({ type }) => type);
    expect(types.slice(3)).toEqual(["chain.key_rotated", "site.changed"]);
    const keys = await auditKeys(server);
    expect(
      [...keys.keys()].every((kid) => /^service-audit-ed25519-v1-[0-9a-f]{16}$/.test(kid)),
    ).toBe(true);
  });

  test("a new domain ends the log and opens one that names that end", async () => {
    const { server, site, records } = await startShop(dialect);
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { domain: "new.example.com" });
    const { body } = await server.admin("GET", `/v1/admin/sites/${site}/audit/logs`);
    expect(body.items.map(({ chain, state }: Told) => [chain, state])).toEqual([
      ["new.example.com/audit/1", "open"],
      ["shop.example.com/audit/1", "closed"],
    ]);
    const [genesis] = await records();
    expect(genesis.previous.chain).toBe("shop.example.com/audit/1");
    expect(genesis.previous.size).toBe(body.items[1].records);
    // Both logs together verify, and the second goes on from the first.
    const day = "2030-05-17";
    const old = await exportDay(server, site, { day, chain: "shop.example.com/audit/1" });
    const now = await exportDay(server, site, { day });
    const texts = [...old, ...now].map(({ text }) => text);
    const report = await verdictOf(texts, { keys: await auditKeys(server) });
    expect([report.findings, report.logs.length]).toEqual([[], 2]);
    // Back again: an epoch is never used twice.
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { domain: "shop.example.com" });
    const again = await server.admin("GET", `/v1/admin/sites/${site}/audit/logs`);
    expect(again.body.items.map(({ chain }: Told) => chain)).toContain("shop.example.com/audit/2");
  });

  test("the database itself refuses to change, delete, fork or skip a record", async () => {
    const { server, site } = await startShop(dialect);
    const { db } = server.context;
    const [head] = await db.all<{ chain: string; size: number }>("SELECT * FROM audit_chains");
    await expect(db.run("UPDATE audit_records SET text = '{}'")).rejects.toThrow("append-only");
    await expect(db.run("DELETE FROM audit_records")).rejects.toThrow("append-only");
    const copy = (seq: number, id: string) =>
      db.run(
        `INSERT INTO audit_records (chain, seq, prev_hash, record_id, type, recorded_at, text, hash, sig, key_id, closed)
         SELECT chain, ?, prev_hash, ?, type, recorded_at, text, hash, sig, key_id, closed
         FROM audit_records WHERE seq = 1`,
        seq,
        id,
      );
    await expect(copy(1, "a")).rejects.toThrow();
    await expect(copy(head?.size as number, "b")).rejects.toThrow();
    const { body } = await server.admin("GET", `/v1/admin/sites/${site}/audit/logs`);
    expect(body.items[0].records).toBe(head?.size);
  });
});

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type AuditRecord,
  checkpointText,
  ed25519Bytes,
  generateEd25519,
  type NoteKey,
  noteKeyText,
  readNoteKey,
  type ShownRecord,
  sealRecord,
  signNote,
  signRecord,
  verifyShownRecord,
} from "@gatehouse/protocol";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { movedWith } from "../../server/test/audit/moved.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { trustedKeys } from "../src/audit/trusted-keys.ts";
import { command } from "./command.ts";

let env: Record<string, string>;
let server: TestServer;
let folder: string;

/** One command line, against the running service. */
const run = (...args: string[]) => command(args, env);

const EXPORT = ["audit", "export", "shop.example.com", "--day", "2030-05-17"];
let file: string;
let keys: string;

beforeAll(async () => {
  const base = await freshEnvironment("sqlite");
  server = await startServer(base, { clock: new ManualClock(NOON) });
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  folder = temporaryFolder();
  await run("site", "create", "shop.example.com", "--name", "Fern & Petal");
  for (const name of ["One", "Two", "Three"]) {
    await run("site", "change", "shop.example.com", "--name", name);
  }
  const exported = await run(...EXPORT, "--out", folder);
  file = exported.out.trim();
  keys = join(folder, "keys.json");
  writeFileSync(keys, await (await fetch(`${server.url}/.well-known/audit-jwks.json`)).text());
  return cleanUp;
});

/** A copy of the export in which one thing was changed. */
function tampered(change: (text: string) => string): string {
  const copy = join(temporaryFolder(), "copy.json");
  writeFileSync(copy, change(readFileSync(file, "utf8")));
  return copy;
}

describe("gatehouse audit verify", () => {
  test("says which checks of a good export pass and which were not requested, and exits 0", async () => {
    const { code, out } = await run("audit", "verify", file, "--key", keys);
    expect(code).toBe(0);
    expect(out).toContain("✓ integrity     no record was changed, moved, added or removed");
    expect(out).toContain("✓ completeness  every record up to the export is present");
    expect(out).toContain("– anchoring     no checkpoint was given");
    expect(out).toContain("– replay");
    expect(out).toContain("5 records of shop.example.com/audit/1 from 0 on, 2030-05-17");
  });

  test("names the first bad record, and exits 1", async () => {
    const bad = tampered((text) => text.replace('"version":3', '"version":9'));
    const { code, out, err } = await run("audit", "verify", bad, "--key", keys);
    expect([code, err]).toEqual([1, expect.stringMatching(/^The export does not verify\.\nKeep /)]);
    expect(err).toContain("/docs/guide/audit.md#if-the-verification-fails of the service");
    // The page is there, at the address that the hint names.
    const named = await run("audit", "verify", bad, "--key", server.url);
    const [page = ""] = /http\S+/.exec(named.err) ?? [];
    const answer = await fetch(page, { headers: { accept: "text/markdown" } });
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining("If the verification fails"),
    ]);
    expect(out).toContain("✗ integrity     record 3: the stored hash does not match the record");
    expect(out).toContain("– completeness  cannot be checked while integrity fails at record 3");
  });

  test("prints the whole report as JSON for programs", async () => {
    const good = JSON.parse(
      (await run("audit", "verify", file, "--key", keys, "--json", "--replay")).out,
    );
    expect([good.ok, good.records, good.answers.replay.verdict]).toEqual([true, 5, "holds"]);
    const bad = tampered((text) => text.replace('"version":3', '"version":9'));
    const { code, out } = await run("audit", "verify", bad, "--key", keys, "--json");
    const report = JSON.parse(out);
    expect([code, report.ok, report.findings[0].seq]).toEqual([1, false, 3]);
  });

  test("names the decision that does not follow from the rules, and says why", async () => {
    const { out: made } = await run("site", "create", "wrong.example.com", "--name", "W", "--json");
    const { site_key_hash } = JSON.parse(made);
    const decision = { outcome: "approved", reason_codes: [] };
    await server.context.audit.commit(site_key_hash, async () => ({
      records: [{ type: "mandate.decision", occurredAt: NOON, content: { decision } }],
      answer: null,
    }));
    const wrong = [...EXPORT.slice(0, 2), "wrong.example.com", ...EXPORT.slice(3)];
    const bad = (await run(...wrong, "--out", folder)).out.trim();
    const { code, out } = await run("audit", "verify", bad, "--key", keys, "--replay");
    expect(code).toBe(1);
    expect(out).toContain("✓ integrity");
    expect(out).toContain("✗ replay        record 2: it says approved, but names no rules");
  });

  test("takes the key as the service's address or as one line", async () => {
    expect((await run("audit", "verify", file, "--key", server.url)).code).toBe(0);
    const genesis = JSON.parse(readFileSync(file, "utf8")).bundle.records[0].record;
    expect((await run("audit", "verify", file, "--key", genesis.vkey)).code).toBe(0);
    const other = genesis.vkey.replace("+", "+0");
    expect((await run("audit", "verify", file, "--key", other)).code).not.toBe(0);
  });

  test("needs a key from elsewhere, because the file could contain its own", async () => {
    const { code, err } = await run("audit", "verify", file);
    expect([code, err]).toEqual([2, expect.stringContaining("--key")]);
    // The key set of cards verifies no log.
    const wrong = await run(
      "audit",
      "verify",
      file,
      "--key",
      `${server.url}/.well-known/jwks.json`,
    );
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining("not in the key set")]);
    // Whose keys they are is asked before anybody doubts the export.
    expect(wrong.err).toMatch(
      /^None of the signatures match the keys\.\nCheck that --key belongs to the serv/,
    );
  });

  test("says that a key file is missing, and what --key accepts", async () => {
    expect(await run("audit", "verify", file, "--key", "nokey.json")).toEqual({
      code: 2,
      out: "",
      err: "The file nokey.json does not exist.\n--key needs a key set (a file, or the address of a service) or a vkey: name+id+key.\n",
    });
  });

  test("says how to verify without a network, and what a key set is", async () => {
    const copy = /a saved copy of its \/\.well-known\/audit-jwks\.json\.\n$/;
    const away = await run("audit", "verify", file, "--key", "http://127.0.0.1:9");
    expect([away.code, away.err]).toEqual([4, expect.stringMatching(copy)]);
    expect(away.err).toContain("does not answer (ECONNREFUSED).");
    const wrong = await run("audit", "verify", file, "--key", file);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(copy)]);
    expect(wrong.err).toContain("is not a key set.");
  });

  test("says that one of two exports of a running day is enough", async () => {
    const later = (await run(...EXPORT, "--out", temporaryFolder())).out.trim();
    const { code, out } = await run("audit", "verify", file, later, "--key", keys);
    expect(code).toBe(1);
    expect(out).toContain(
      "there are two different files of 2030-05-17 part 1; a later export of a day that is not over is longer. Give only one of them",
    );
  });

  test("requires that the export reaches a kept checkpoint, not only that nothing contradicts it", async () => {
    const kept = join(folder, "kept.txt");
    const checkpoint = await run("audit", "checkpoint", "shop.example.com");
    writeFileSync(kept, checkpoint.out);
    // The export was taken before: its own record is not in it.
    const beyond = await run("audit", "verify", file, "--key", keys, "--checkpoint", kept);
    expect([beyond.code, beyond.out]).toEqual([
      1,
      expect.stringMatching(/✗ anchoring {5}unanchored/),
    ]);
    // Nobody is sent to look for a forger where only a later file is missing.
    expect(beyond.err).toMatch(/^No record was changed, but files are missing\.\nAdd every file /);
    const later = temporaryFolder();
    const again = (await run(...EXPORT, "--out", later)).out.trim();
    // Windows saves text with other line ends, and some editors with a mark in front.
    for (const text of [checkpoint.out, `\ufeff${checkpoint.out.replaceAll("\n", "\r\n")}`]) {
      writeFileSync(kept, text);
      const met = await run("audit", "verify", again, "--key", keys, "--checkpoint", kept);
      expect([met.code, met.out]).toEqual([0, expect.stringContaining("✓ anchoring")]);
      const alone = await run("verify", kept, "--keys", keys);
      expect([alone.code, alone.out]).toEqual([0, expect.stringContaining("checkpoint is valid")]);
    }
  });

  test("says what is wrong with files that are not exports", async () => {
    const missing = await run("audit", "verify", join(folder, "nothing.json"), "--key", keys);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("does not exist.")]);
    const card = await run("audit", "verify", keys, "--key", keys);
    expect([card.code, card.err]).toEqual([
      1,
      expect.stringContaining("keys.json cannot be verified: it is not a part of an audit export."),
    ]);
    const pin = await run("audit", "verify", file, "--key", keys, "--checkpoint", "nothing.txt");
    expect([pin.code, pin.err]).toEqual([2, expect.stringContaining("gatehouse audit checkpoint")]);
  });
});

test("a frozen log is explained with the command that renews it, and lost records as lost", async () => {
  const { env: moved } = await movedWith("older");
  const { url } = await startServer(moved, { clock: new ManualClock(NOON) });
  const here = (...args: string[]) => command(args, { ...moved, GATEHOUSE_BASE_URL: url });
  const renew = 'gatehouse audit renew shop.example.com --reason "…"';
  for (const name of ["tail", "logs"]) {
    const { err } = await here("audit", name, "shop.example.com");
    expect(err).toContain(renew);
    expect(err).toMatch(/^See http\S+\/docs\/guide\/audit\.md#epochs-and-a-frozen-log$/m);
    expect(err).not.toContain("Try again");
  }
  await here("audit", "renew", "shop.example.com", "--reason", "the disk failed");
  const logs = JSON.parse((await here("audit", "logs", "shop.example.com", "--json")).out).items;
  const out = temporaryFolder();
  const files: string[] = [];
  for (const { chain, last_day: day } of logs as { chain: string; last_day: string }[]) {
    const args = ["--chain", chain, "--day", day, "--out", out];
    files.push((await here("audit", "export", "shop.example.com", ...args)).out.trim());
  }
  const verified = await here("audit", "verify", ...files, "--key", url);
  expect(verified.code).toBe(1);
  expect(verified.out).toContain(
    "✗ completeness  records 3 to 4 are lost: when shop.example.com/audit/2 began, the service had only 3 of 5 records",
  );
  expect(verified.err).toBe(
    "No record was changed, but the service lost records.\n" +
      'Record 0 of shop.example.com/audit/2 gives the reason: "the disk failed". ' +
      "Add an export from before the loss, or ask the operator for one.\n",
  );
});

describe("gatehouse audit verify reports what was not checked:", () => {
  test("notes alone are not an export, and OCSF lines cannot be checked against the rules", async () => {
    const alone = await run("audit", "verify", "x.json.note", "--key", keys);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("Specify the files.")]);
    const lines = await run("audit", "verify", "x.ndjson", "--key", keys, "--replay");
    expect([lines.code, lines.err]).toEqual([2, expect.stringContaining("only by their notes")]);
  });

  test("for a page without its note it says that the page itself was not checked", async () => {
    const out = temporaryFolder();
    const page = await run(...EXPORT, "--format", "html", "--out", out);
    const [html = ""] = page.out.trim().split("\n");
    expect((await run("audit", "verify", html, "--key", keys)).out).toContain(
      "matches its signature",
    );
    rmSync(`${html}.note`);
    const bare = await run("audit", "verify", html, "--key", keys);
    expect(bare.out).toContain("the contents of the page were not checked");
  });

  test("a vkey is accepted only for its own site", async () => {
    const genesis = JSON.parse(readFileSync(file, "utf8")).bundle.records[0].record;
    const other = await noteKeyText({
      name: "other.example.com/audit/1",
      publicKey: ((await readNoteKey(genesis.vkey)) as { value: NoteKey }).value.publicKey,
    });
    const { code, err } = await run("audit", "verify", file, "--key", other);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("The vkey is not for shop.example.com"),
    ]);
  });
});

describe("gatehouse audit export", () => {
  test("saves a page and lines with the notes that sign them, and they verify", async () => {
    const out = temporaryFolder();
    const page = await run(...EXPORT, "--format", "html", "--out", out);
    const [html = "", note = ""] = page.out.trim().split("\n");
    expect([html.endsWith(".html"), note]).toEqual([true, `${html}.note`]);
    expect((await run("audit", "verify", html, "--key", keys)).code).toBe(0);
    const lines = await run(...EXPORT, "--format", "ocsf", "--out", out);
    const [ndjson = ""] = lines.out.trim().split("\n");
    const good = await run("audit", "verify", ndjson, "--key", keys);
    expect([good.code, good.out]).toEqual([0, expect.stringContaining("matches its signature")]);
    writeFileSync(ndjson, readFileSync(ndjson, "utf8").replace("Gatehouse", "Gatehause"));
    expect((await run("audit", "verify", ndjson, "--key", keys)).code).toBe(1);
    rmSync(`${ndjson}.note`);
    expect((await run("audit", "verify", ndjson, "--key", keys)).err).toContain("does not exist");
  });

  test("says that a day is not over yet, and how to verify the files", async () => {
    const out = temporaryFolder();
    const { err } = await run(...EXPORT, "--out", out);
    expect(err).toBe(
      "2030-05-17 (UTC) is not over yet: later records are not in these files.\n" +
        `Verify them: gatehouse audit verify ${out}/*.json --key ${server.url}\n` +
        `To verify them offline, also save ${server.url}/.well-known/audit-jwks.json (for --key). ` +
        "For later exports, save a checkpoint now: gatehouse audit checkpoint shop.example.com > kept.txt\n",
    );
  });

  test("says that a site's token cannot read the installation's log", async () => {
    const made = await run(
      "token",
      "create",
      "--name",
      "A",
      "--role",
      "auditor",
      "--site",
      "shop.example.com",
      "--json",
    );
    const own = { ...env, GATEHOUSE_ADMIN_TOKEN: JSON.parse(made.out).token };
    for (const verb of ["export", "tail", "checkpoint"]) {
      const { code, err } = await command(["audit", verb, "installation"], own);
      expect([verb, code, err]).toEqual([verb, 1, expect.stringContaining("limited to sites")]);
    }
  });

  test("does not replace an existing file, and refuses dates that do not exist", async () => {
    const again = await run(...EXPORT, "--out", folder);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("already exists")]);
    const out = join(temporaryFolder(), "evidence");
    const wrong = await run(
      "audit",
      "export",
      "shop.example.com",
      "--day",
      "2030-02-30",
      "--out",
      out,
    );
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("must be a day such as")]);
    expect(existsSync(out)).toBe(false);
  });
});

test("an audit export that is interrupted leaves no file and no folder that it made", async () => {
  const cut = createServer((_request, response) => {
    const name = "installation-2030-05-17.json";
    response.writeHead(200, { "content-disposition": `attachment; filename="${name}"` });
    response.write('{"bundle":', () => response.destroy());
  });
  await new Promise<void>((done) => cut.listen(0, "127.0.0.1", done));
  onTestFinished(() => void cut.close());
  const url = `http://127.0.0.1:${(cut.address() as AddressInfo).port}`;
  const given = {
    GATEHOUSE_BASE_URL: url,
    GATEHOUSE_ADMIN_TOKEN: "a".repeat(43),
    GATEHOUSE_MODE: "development",
  };
  const above = temporaryFolder();
  const out = ["--chain", "installation/audit/1", "--out", join(above, "new/evidence")];
  const { err } = await command(["audit", "export", "installation", ...out], given);
  expect(err).toContain("The download was interrupted.");
  expect(readdirSync(above)).toEqual([]);
});

test("gatehouse verify recognizes a part of an export", async () => {
  expect((await run("verify", file, "--keys", server.url)).code).toBe(0);
  const { code, err } = await run("verify", file);
  expect([code, err]).toEqual([2, expect.stringContaining("--keys is required")]);
});

describe("gatehouse verify", () => {
  const write = (name: string, text: string) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, text);
    return path;
  };

  test("verifies a checkpoint", async () => {
    const note = (await run("audit", "checkpoint", "shop.example.com")).out;
    const kept = write("kept.txt", note);
    const good = await run("verify", kept, "--keys", keys);
    expect([good.code, good.err]).toEqual([0, ""]);
    expect(good.out).toMatch(
      /^✓ a key that you trust signed shop\.example\.com\/audit\/1 at \d+ records\n\nThe checkpoint is valid\./,
    );
    const bad = await run(
      "verify",
      write("bad.txt", note.replace(/\n\d+\n/, "\n1\n")),
      "--keys",
      keys,
    );
    expect([bad.code, bad.err]).toEqual([
      1,
      expect.stringContaining("The checkpoint does not verify."),
    ]);
    expect((await run("verify", kept)).err).toContain("--keys is required");
  });

  test("verifies a log proof, and compares it with the hash of a record", async () => {
    const { record, hash } = JSON.parse(
      (await run("audit", "tail", "shop.example.com", "-n", "1", "--json")).out,
    );
    const site = JSON.parse((await run("site", "show", "shop.example.com", "--json")).out);
    const at = `${server.url}/v1/audit/${site.site_key_hash}/proof/${record.record_id}`;
    const text = await (await fetch(at, { headers: { accept: "text/plain" } })).text();
    const proof = write("my.tlog-proof", text);
    const alone = await run("verify", proof, "--keys", keys);
    // A proof that nothing was compared with proves nothing, however sound its checkpoint is.
    expect([alone.code, alone.out, alone.err]).toEqual([
      1,
      expect.stringMatching(
        /^✓ a key that you trust signed .*\n– the proof: no record was named\n$/,
      ),
      expect.stringContaining("The log proof was not checked."),
    ]);
    const mine = await run("verify", proof, "--keys", keys, "--record", hash);
    expect([mine.code, mine.out]).toEqual([
      0,
      expect.stringContaining(`✓ the hash is that of record ${record.seq} of the log`),
    ]);
    const other = await run("verify", proof, "--keys", keys, "--record", "ab".repeat(32));
    expect([other.code, other.out]).toEqual([1, expect.stringContaining("✗ the hash is not that")]);
    expect((await run("verify", proof, "--keys", keys, "--record", "x")).code).toBe(2);
  });

  test("says what it can verify, including audit exports", async () => {
    const { code, err } = await run("verify", write("words.txt", "hello"), "--keys", keys);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/checkpoints, log proofs and .*exports/),
    ]);
  });
});

test("gatehouse audit tail and gatehouse audit logs show the records and the logs", async () => {
  const tail = await run("audit", "tail", "shop.example.com", "-n", "3");
  expect([tail.code, tail.out.trim().split("\n").length]).toEqual([0, 3]);
  const lines = (await run("audit", "tail", "shop.example.com", "-n", "200", "--json")).out;
  const records = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).record);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i));
  expect((await run("audit", "tail", "shop.example.com", "-n", "0")).code).toBe(2);
  const logs = await run("audit", "logs", "shop.example.com");
  expect(logs.out).toMatch(/shop\.example\.com\/audit\/1 +open/);
});

test("gatehouse audit tail says what happened to which person", async () => {
  const at = ["--site", "shop.example.com", "--json"];
  const invited = await run("person", "invite", "--name", "Ann", "--role", "owner", ...at);
  const { person_id: id } = JSON.parse(invited.out);
  await run("person", "link", id, "--reset");
  await run("person", "remove", id);
  const { out } = await run("audit", "tail", "shop.example.com", "-n", "20");
  const lines = out.split("\n").filter((line) => line.includes(" person."));
  expect(lines.map((line) => line.slice(line.indexOf(" person.")))).toEqual([
    ` person.invited     owner ${id}  by operator`,
    ` person.changed     sign_in_reset ${id}  by operator`,
    ` person.changed     removed ${id}  by operator`,
  ]);
});

describe("gatehouse audit show", () => {
  const newest = async () => {
    const { out } = await run("audit", "tail", "shop.example.com", "-n", "1", "--json");
    return JSON.parse(out).record.record_id as string;
  };

  test("prints a record and its passed checks, and exits 0", async () => {
    const id = await newest();
    const { code, out, err } = await run("audit", "show", "shop.example.com", id);
    expect([code, err]).toEqual([0, ""]);
    const end = out.lastIndexOf("}\n") + 1;
    expect(JSON.parse(out.slice(0, end)).record_id).toBe(id);
    expect(out.slice(end)).toMatch(
      /^\n✓ hash +the stored hash matches the record: [0-9a-f]{64}\n✓ signature +by the key \S+\n✓ inclusion +record \d+ of \d+ in shop\.example\.com\/audit\/1\n$/,
    );
    const json = JSON.parse(
      (await run("audit", "show", "shop.example.com", id, "--json", "--key", keys)).out,
    );
    expect(Object.keys(json)).toEqual(["chain", "entry", "proof", "checks"]);
    expect(json.checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true]);
  });

  test("saves a proof, and prints the command that checks it without a token", async () => {
    const proof = join(temporaryFolder(), "my.tlog-proof");
    const shown = await run("audit", "show", "shop.example.com", await newest(), "--proof", proof);
    const [, next = ""] = /^gatehouse (verify .*)$/m.exec(shown.err) ?? [];
    const { code, out } = await command(next.split(" "), {});
    expect([code, out]).toEqual([0, expect.stringContaining("✓ the hash is that of record")]);
  });

  test("says so if the record does not exist or the keys are not the trusted ones", async () => {
    const none = "00000000-0000-7000-8000-000000000000";
    expect(await run("audit", "show", "shop.example.com", none)).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^There is no such record in the site's log\.\n`gatehouse audit tail /,
      ),
    });
    const others = `${server.url}/.well-known/jwks.json`;
    const id = await newest();
    const wrong = await run("audit", "show", "shop.example.com", id, "--key", others);
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/^The record does not verify\.\nExport the day/),
    ]);
    expect(wrong.out).toContain("✓ hash ");
    expect(wrong.out).toMatch(/✗ signature +its key \S+ is not in the key set\n✗ inclusion /);
    const genesis = JSON.parse(readFileSync(file, "utf8")).bundle.records[0].record;
    const other = await noteKeyText({
      name: "other.example.com/audit/1",
      publicKey: ((await readNoteKey(genesis.vkey)) as { value: NoteKey }).value.publicKey,
    });
    const elsewhere = await run("audit", "show", "shop.example.com", id, "--key", other);
    expect(elsewhere.err).toContain("The vkey is not for shop.example.com/audit/1.\n");
  });
});

describe("the client checks by itself a record that the service shows:", () => {
  type Shown = ShownRecord;
  const checked = async (change: (shown: Shown, other: Shown) => Shown) => {
    const show = async (seq: number): Promise<Shown> => {
      const { record } = JSON.parse(readFileSync(file, "utf8")).bundle.records[seq];
      const args = ["audit", "show", "shop.example.com", record.record_id, "--json"];
      const { checks: _, ...shown } = JSON.parse((await run(...args)).out);
      return shown;
    };
    const { keys: trusted } = await trustedKeys(keys);
    const shown = change(await show(2), await show(3));
    const checks = await verifyShownRecord(shown, trusted);
    return checks.flatMap(({ id, ok }) => (ok ? [] : [id]));
  };

  test.each<[string, (shown: Shown, other: Shown) => Shown, string[]]>([
    ["nothing", (shown) => shown, []],
    [
      "what it says",
      (shown) => ({
        ...shown,
        entry: { ...shown.entry, record: { ...shown.entry.record, change: { kind: "x" } } },
      }),
      ["hash", "signature"],
    ],
    [
      "its signature",
      (shown, { entry }) => ({ ...shown, entry: { ...shown.entry, sig: entry.sig } }),
      ["signature"],
    ],
    ["its proof", (shown, { proof }) => ({ ...shown, proof }), ["inclusion"]],
    [
      "its place",
      (shown) => ({ ...shown, proof: { ...shown.proof, index: shown.proof.index + 4 } }),
      ["inclusion"],
    ],
    [
      "its checkpoint",
      (shown) => ({
        ...shown,
        proof: { ...shown.proof, checkpoint: shown.proof.checkpoint.replace("shop", "shap") },
      }),
      ["inclusion"],
    ],
  ])("it finds which checks fail if the service changed %s", async (_name, change, found) => {
    expect(await checked(change)).toEqual(found);
  });

  test("it refuses a proof by the key's owner for another position than the record names", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const provenAt = async (origin: string, seq: number) => {
      const record = {
        schema: "audit-record/v1",
        chain: "a.example/audit/1",
        seq,
        type: "chain.genesis",
        prev_hash: "0".repeat(64),
        record_id: "r",
        occurred_at: "2030-05-17T12:00:00.000Z",
        recorded_at: "2030-05-17T12:00:00.000Z",
      } as AuditRecord;
      const { leaf, hash } = await sealRecord(record);
      const key = { name: origin, publicKey: ed25519Bytes(jwk) };
      const text = checkpointText({ origin, size: 1, root: leaf });
      const checkpoint = await signNote(text, key, signer);
      const entry = { record, hash, sig: await signRecord(record, hash, signer), key_id: "k1" };
      const proof = { index: 0, hashes: [], checkpoint };
      const checks = await verifyShownRecord({ entry, proof }, new Map([["k1", jwk]]));
      return checks.map(({ ok }) => ok);
    };
    expect(await provenAt("a.example/audit/1", 0)).toEqual([true, true, true]);
    expect(await provenAt("b.example/audit/1", 0)).toEqual([true, true, false]);
    expect(await provenAt("a.example/audit/1", 4)).toEqual([true, true, false]);
  });
});

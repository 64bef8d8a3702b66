import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { tokenDigest } from "../src/domain/access/token-authenticator.ts";
import type { Dialect } from "../src/infra/db/database.ts";
import { backup } from "../src/maintenance/backup.ts";
import { doctor } from "../src/maintenance/doctor.ts";
import { restore } from "../src/maintenance/restore.ts";
import {
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "./harness.ts";
import { submitting } from "./mandates/submitting.ts";
import { byDigest, forge, SEAL_BYTES, secretsKeyFile } from "./restoring.ts";

const SITES = "/v1/admin/sites";
const BACKUP_OF_0_1_0 = fileURLToPath(new URL("fixtures/backup-0.1.0.ndjson.gz", import.meta.url));
/** A token in that backup. Its installation never held anything but what the tests look for. */
const TOKEN_OF_0_1_0 = "gha_HLdOrJo2Dcnqf-XoZB3SG81Eg_yVYY80NsP8kT26lGY";

let made: { env: Record<string, string>; out: string; token: string; agentId: string };
let site: string;

/** A backup of its own to spoil. */
function copyOfBackup(): string {
  const copy = join(temporaryFolder(), "copy.ndjson.gz");
  copyFileSync(made.out, copy);
  return copy;
}

const foundIn = (env: Record<string, string>) => readdirSync(env.GATEHOUSE_DATA_DIR as string);

beforeAll(async () => {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const agent = submitting(server);
  const shop = await agent.shop();
  site = shop.site_key_hash;
  const { agentId } = await agent.buyer(shop);
  const { token } = (await shop.admin("POST", "/tokens", { name: "Ann", role: "owner" })).body;
  await shop.admin("POST", "/edge-tokens", { name: "Edge" });
  await server.admin("POST", "/v1/admin/console-links", {});
  await server.stop();
  const out = join(temporaryFolder(), "backup.ndjson.gz");
  await backup(env, { out });
  made = { env, out, token, agentId };
  return cleanUp;
});

/** Puts an operator's token into a backup and makes its end line fit again. */
function plantToken(file: string, token: string): void {
  const planted = {
    token_id: "adm_planted",
    digest: tokenDigest(token),
    name: "Planted",
    role: "operator",
    sites: null,
    created_by: "operator",
    created_at: 1,
    revoked_at: null,
  };
  const line = JSON.stringify({ table: "admin_tokens", row: planted });
  forge(file, (text) => `${text}\n${line}`, { counts: { admin_tokens: 2 } });
}

test("a backup with a planted token is refused although its digest is right, whatever key it contains", async () => {
  const file = copyOfBackup();
  plantToken(file, "gha_planted");
  const env = await freshEnvironment("sqlite");
  await expect(restore(env, file)).rejects.toThrow(/no secrets key to verify this backup/);
  const withKey = restore(env, file, { secretsKeyFile: secretsKeyFile(made.env) });
  await expect(withKey).rejects.toThrow(/has been changed or damaged/);
  // Nobody has told the operator that file's digest: the one that was printed is of another file.
  const known = byDigest(made.out);
  await expect(restore(env, file, known)).rejects.toThrow(/has a different SHA-256/);
  expect(foundIn(env)).toEqual([]);
});

/** Numbers that look like chance, and are the same at every run. */
function* numbersBelow(limit: number, count: number): Generator<number> {
  let state = 0x2545f491;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state % limit;
  }
}

test("one changed bit anywhere in a backup is refused before anything is written", {
  timeout: 120_000,
}, async () => {
  const file = copyOfBackup();
  const whole = readFileSync(file);
  const env = await freshEnvironment("sqlite");
  const proof = { secretsKeyFile: secretsKeyFile(made.env) };
  const ends = [...Array(12).keys(), ...Array.from({ length: SEAL_BYTES }, (_, i) => -1 - i)];
  const places = [...ends, ...numbersBelow(whole.length, 200)];
  const accepted: string[] = [];
  for (const [i, place] of places.entries()) {
    const changed = Buffer.from(whole);
    const at = place < 0 ? whole.length + place : place;
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << (i % 8)), at);
    writeFileSync(file, changed);
    for (const said of [proof, byDigest(made.out)]) {
      const told = await restore(env, file, said).then(
        () => "restored",
        (error) => (error as Error).name,
      );
      if (told !== "BackupFileError") accepted.push(`bit ${i % 8} of byte ${at}: ${told}`);
    }
  }
  expect([accepted, foundIn(env)]).toEqual([[], []]);
});

test("a backup whose seal was cut off does not pass for one from before backups were sealed", async () => {
  const file = copyOfBackup();
  writeFileSync(file, readFileSync(made.out).subarray(0, -SEAL_BYTES));
  const env = await freshEnvironment("sqlite");
  await expect(restore(env, file, byDigest(file))).rejects.toThrow(/has been changed or damaged/);
  expect(foundIn(env)).toEqual([]);
});

test("a file that is swapped while its rows are written leaves nothing behind", async () => {
  const file = copyOfBackup();
  const other = copyOfBackup();
  plantToken(other, "gha_planted");
  const env = await freshEnvironment("sqlite");
  const proof = { secretsKeyFile: secretsKeyFile(made.env) };
  // Told when the last row was checked: from then on the file is trusted.
  const onChecked = () => copyFileSync(other, file);
  const swapped = restore(env, file, { ...proof, onChecked });
  await expect(swapped).rejects.toThrow(/changed during the restore|incomplete/);
  expect(foundIn(env)).toEqual([]);
});

test("a backup needs the key that sealed its database", async () => {
  const out = join(temporaryFolder(), "b.gz");
  const foreign = { ...made.env, GATEHOUSE_SECRETS_KEY: "A".repeat(43) };
  await expect(backup(foreign, { out })).rejects.toThrow(/needs the secrets key/);
});

test("the digest a backup reports is that of the file", async () => {
  const out = join(temporaryFolder(), "b.gz");
  const { sha256 } = await backup(made.env, { out });
  expect(byDigest(out).sha256).toBe(sha256);
});

async function restoredServer(dialect: Dialect, file: string, proof: object) {
  const env = await freshEnvironment(dialect);
  const report = await restore(env, file, proof);
  const finding = async () => (await doctor(env)).find(({ part }) => part === "restore");
  return { env, report, finding, server: await startServer(env) };
}

describe.each(DATABASES)("a backup that nothing verifies, restored into %s,", (dialect) => {
  test("has no valid token or session, and its agents are suspended until they are approved again", async () => {
    const { server, report, finding } = await restoredServer(dialect, made.out, byDigest(made.out));
    expect(report).toMatchObject({ verified: false, suspended: { tokens: 2, agents: 1 } });
    expect((await server.admin("GET", SITES, undefined, made.token)).status).toBe(401);
    const { db } = server.context;
    expect(await db.all("SELECT 1 AS one FROM console_codes")).toEqual([]);
    expect(await db.all("SELECT 1 AS one FROM edge_tokens WHERE revoked_at IS NULL")).toEqual([]);
    const agent = `${SITES}/${site}/agents/${made.agentId}`;
    expect((await server.admin("GET", agent)).body.status).toBe("suspended");
    expect(await finding()).toMatchObject({
      verdict: "warning",
      message: expect.stringMatching(/it was not verified.*agents 1,.*gatehouse agent approve/),
    });
    expect((await server.admin("POST", `${agent}/approve`, {})).body.status).toBe("active");
    expect(await finding()).toMatchObject({ verdict: "good" });
  });

  test("may be a backup from before backups were sealed, with the digest it had", async () => {
    const env = await freshEnvironment(dialect);
    await expect(restore(env, BACKUP_OF_0_1_0)).rejects.toThrow(/made by an old version/);
    const { server, report } = await restoredServer(
      dialect,
      BACKUP_OF_0_1_0,
      byDigest(BACKUP_OF_0_1_0),
    );
    expect(report).toMatchObject({
      verified: false,
      secretsKey: "restored",
      suspended: { tokens: 2, agents: 1 },
    });
    const { items } = (await server.admin("GET", SITES)).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(["Shop of 0.1.0"]);
    expect((await server.admin("GET", SITES, undefined, TOKEN_OF_0_1_0)).status).toBe(401);
    expect((await createSite(server, "new.example.com")).status).toBe("verified");
  });
});

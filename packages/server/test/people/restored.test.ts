import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backup } from "../../src/maintenance/backup.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  createSite,
  DATABASES,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../harness.ts";
import { secretsKeyFile } from "../restoring.ts";
import { joined, secretOf, withPasskey } from "./joining.ts";

const checkpointsOf = (env: Record<string, string>) =>
  join(env.GATEHOUSE_DATA_DIR as string, "checkpoints");

describe.each(DATABASES)("what people lost after a backup, restored into %s,", (dialect) => {
  test("stays lost: roles, sites, ways to sign in and passkeys; and what they got before it stays", async () => {
    const from = await freshEnvironment("sqlite");
    const server = await startServer(from);
    const [mine, theirs] = [
      (await createSite(server, "mine.example.com")).site_key_hash as string,
      (await createSite(server, "theirs.example.com")).site_key_hash as string,
    ];
    const at = (site: string, id = "") => `/v1/admin/sites/${site}/people/${id}`;
    const names = ["demoted", "raised", "moved", "reset", "renewed", "cleaner"];
    const people: Record<string, Awaited<ReturnType<typeof joined>>> = {};
    for (const name of names) people[name] = await joined(server, mine, "owner", name);
    const idOf = (name: string) => people[name]?.id ?? "";
    const pageOf = (name: string) => people[name]?.page as (typeof people)[string]["page"];
    const reset = (name: string) =>
      server.admin("POST", `/v1/admin/people/${idOf(name)}/links`, { reset: true });
    const setRole = (name: string, role: string) =>
      server.admin("PUT", `${at(mine, idOf(name))}/role`, { role });
    const { db } = server.context;
    await db.run("INSERT INTO person_access VALUES (?, ?, ?)", idOf("moved"), theirs, "auditor");
    for (const name of ["reset", "cleaner"]) await withPasskey(server, pageOf(name));
    // What was lost and given back before the backup is in it.
    await setRole("raised", "auditor");
    await setRole("raised", "owner");
    const { body: renewed } = await reset("renewed");
    await pageOf("renewed").signIn({ link: secretOf(renewed.url) });
    await withPasskey(server, pageOf("renewed"));
    const lasting = { name: "Script", role: "operator", expires_in_days: 30 };
    const { body: token } = await server.admin("POST", "/v1/admin/tokens", lasting);
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    await backup(from, { out });

    await setRole("demoted", "reviewer");
    await server.admin("DELETE", at(mine, idOf("moved")));
    await reset("reset");
    const { passkeys } = (await pageOf("cleaner").ask("GET", "/v1/console/person")).body;
    const key = `/v1/console/passkeys/${passkeys[0].passkey_id}`;
    expect((await pageOf("cleaner").ask("DELETE", key)).status).toBe(204);
    await server.stop();

    const env = await freshEnvironment(dialect);
    cpSync(checkpointsOf(from), checkpointsOf(env), { recursive: true });
    const report = await restore(env, out, { secretsKeyFile: secretsKeyFile(from) });
    expect(report).toMatchObject({ verified: true, doubt: undefined });
    const restored = await startServer(env);
    const { items } = (await restored.admin("GET", "/v1/admin/people?limit=50")).body;
    const rights = Object.fromEntries(
      items.map(({ name, access }: { name: string; access: object[] }) => [name, access]),
    );
    expect(rights).toMatchObject({
      demoted: [{ site_key_hash: mine, role: "reviewer" }],
      raised: [{ site_key_hash: mine, role: "owner" }],
      moved: [{ site_key_hash: theirs, role: "auditor" }],
      reset: [{ site_key_hash: mine, role: "owner" }],
    });
    const left = await restored.context.db.all("SELECT person_id, rp_id FROM passkeys");
    expect(left).toEqual([{ person_id: idOf("renewed"), rp_id: "localhost" }]);
    const [kept] = (await restored.admin("GET", "/v1/admin/tokens")).body.items;
    expect(kept.expires_at).toBe(token.expires_at);
  });
});

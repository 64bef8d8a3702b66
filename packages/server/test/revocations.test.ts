import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { knownRevocations } from "../src/actions/installation/apply-revocations.ts";
import type { Revocation } from "../src/domain/revocations/store.ts";
import { backup } from "../src/maintenance/backup.ts";
import { doctor } from "../src/maintenance/doctor.ts";
import { recordRestored } from "../src/maintenance/record-restored.ts";
import { restore } from "../src/maintenance/restore.ts";
import { type AgentKey, newKey, registering } from "./agents/registering.ts";
import { findingsOfSite } from "./audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
  temporaryFolder,
} from "./harness.ts";
import { type Shop, submitting } from "./mandates/submitting.ts";
import { secretsKeyFile } from "./restoring.ts";

type Env = Record<string, string>;
const SITES = "/v1/admin/sites";
const checkpointsOf = (env: Env) => join(env.GATEHOUSE_DATA_DIR as string, "checkpoints");
const listOf = (env: Env) =>
  JSON.parse(readFileSync(join(checkpointsOf(env), "revocations.json"), "utf8"));

/** Copies the checkpoints, with what lies beside them, as an operator does every hour. */
function copyCheckpoints(from: Env, to: Env): void {
  cpSync(checkpointsOf(from), checkpointsOf(to), { recursive: true });
}

describe.each(TIER_DATABASES)("a revocation, restored into %s,", (dialect) => {
  const made = { out: "", site: "", kept: "", agentId: "", revoked: "", keptAgentId: "" };
  const revoked: Record<string, string> = {};
  let shop: Shop;
  /** Of an agent that came after the backup, and was revoked. */
  let key: AgentKey;
  let from: Env;
  /** As it was when the backup was made. */
  let early: Env;

  beforeAll(async () => {
    from = await freshEnvironment("sqlite");
    early = await freshEnvironment("sqlite");
    const server = await startServer(from);
    const agent = submitting(server);
    shop = await agent.shop();
    const [gone, kept] = [await agent.buyer(shop), await agent.buyer(shop)];
    const mint = async (name: string) =>
      (await shop.admin("POST", "/tokens", { name, role: "owner" })).body;
    const [lost, stays] = [await mint("Lost"), await mint("Stays")];
    const edge = (await shop.admin("POST", "/edge-tokens", { name: "Worker" })).body;
    Object.assign(made, {
      out: join(temporaryFolder(), "backup.ndjson.gz"),
      site: shop.site_key_hash,
      kept: stays.token,
      revoked: lost.token,
      agentId: gone.agentId,
      keptAgentId: kept.agentId,
    });
    copyCheckpoints(from, early);
    await backup(from, { out: made.out });
    for (const { token_id } of [lost, edge]) {
      await server.admin("DELETE", `/v1/admin/tokens/${token_id}`);
    }
    await shop.admin("POST", `/agents/${gone.agentId}/revoke`, {});
    key = await newKey();
    const { agent_id: newcomer } = (await registering(server).register(shop, key)).body;
    await shop.admin("POST", `/agents/${newcomer}/approve`, {});
    await shop.admin("POST", `/agents/${newcomer}/revoke`, {});
    await shop.admin("PUT", "/platforms/bad.example", { status: "suspended" });
    Object.assign(revoked, { token: lost.token_id, edge: edge.token_id, agent: gone.agentId });
    await server.stop();
    return cleanUp;
  });

  async function restoredFrom(checkpoints: Env | undefined) {
    const env = await freshEnvironment(dialect);
    if (checkpoints !== undefined) copyCheckpoints(checkpoints, env);
    const report = await restore(env, made.out, { secretsKeyFile: secretsKeyFile(from) });
    const finding = (await doctor(env)).find(({ part }) => part === "restore");
    return { env, report, finding, server: await startServer(env) };
  }

  const isLive = async (server: TestServer, token: string) =>
    (await server.admin("GET", SITES, undefined, token)).status === 200;
  const agentOf = async (server: TestServer, agentId: string) =>
    (await server.admin("GET", `${SITES}/${made.site}/agents/${agentId}`)).body;

  test("is in a list beside the checkpoints before it is answered", async () => {
    const { revoked: listed } = listOf(from);
    expect(listed.map(({ kind, id }: { kind: string; id: string }) => [kind, id])).toEqual(
      expect.arrayContaining([
        ["token", revoked.token],
        ["edge_token", revoked.edge],
        ["agent", revoked.agent],
        ["agent_key", expect.stringContaining(`${made.site}/`)],
      ]),
    );
  });

  test("stays in force if the list is newer than the backup, and everything else still works", async () => {
    const { server, report, finding, env } = await restoredFrom(from);
    expect(report).toMatchObject({ verified: true, doubt: undefined, suspended: undefined });
    expect(report.revocations).toBe(7);
    expect(await isLive(server, made.revoked)).toBe(false);
    expect(await isLive(server, made.kept)).toBe(true);
    const gone = await agentOf(server, made.agentId);
    expect([gone.status, gone.keys[0].status]).toEqual(["revoked", "revoked"]);
    expect((await agentOf(server, made.keptAgentId)).status).toBe("active");
    const edges = (await server.admin("GET", `${SITES}/${made.site}/edge-tokens`)).body.items;
    expect(edges[0].revoked_at).not.toBeNull();
    expect(finding).toMatchObject({ verdict: "good" });
    await server.stop();
    expect(listOf(env).revoked).toHaveLength(7);
  });

  test("prevents a new registration, although the backup does not know it", async () => {
    const { server } = await restoredFrom(from);
    const { status, body } = await registering(server).register(shop, key);
    expect([status, body.reason]).toEqual([401, "identity_check_failed"]);
    const listed = await server.admin("GET", `${SITES}/${made.site}/platforms`);
    expect(listed.body.items).toEqual([
      expect.objectContaining({ platform: "bad.example", status: "suspended" }),
    ]);
  });

  test.each([
    ["older than the backup", () => early],
    ["missing", () => undefined],
  ])("is not undone by a list that is %s: tokens are void, and agents wait", async (_n, which) => {
    const { server, report, finding } = await restoredFrom(which());
    expect(report).toMatchObject({
      verified: true,
      doubt: "no_newer_list",
      suspended: { tokens: 3, agents: 2, platforms: 0 },
    });
    expect([await isLive(server, made.revoked), await isLive(server, made.kept)]).toEqual([
      false,
      false,
    ]);
    expect((await agentOf(server, made.agentId)).status).toBe("suspended");
    expect(finding).toMatchObject({
      verdict: "warning",
      message: expect.stringMatching(/later revocations are unknown.*agents 2,.*approve/),
    });
  });

  test("leaves one record for each agent that waits after a restore, and none for others", async () => {
    const { server } = await restoredFrom(undefined);
    const suspensions = async () => {
      const path = `${SITES}/${made.site}/audit/records?limit=200&type=site.changed`;
      const { items } = (await server.admin("GET", path)).body;
      return items
        .map(({ record }: { record: { change: object; actor: { id: string } } }) => record)
        .filter(({ actor }: { actor: { id: string } }) => actor.id === "restore")
        .map(({ change }: { change: object }) => change);
    };
    const record = () => recordRestored(server.context, () => false);
    await Promise.all([record(), record()]);
    await record();
    const expected = [made.agentId, made.keptAgentId].map((agent_id) =>
      expect.objectContaining({ kind: "agent_suspended", agent_id, status: "suspended" }),
    );
    expect(await suspensions()).toHaveLength(2);
    expect(await suspensions()).toEqual(expect.arrayContaining(expected));
    expect(await findingsOfSite(server, made.site)).toEqual([]);
    await server.stop();
    const known = await restoredFrom(from);
    await recordRestored(known.server.context, () => false);
    const sql = "SELECT text FROM audit_records WHERE text LIKE '%agent_suspended%'";
    expect(await known.server.context.db.all(sql)).toEqual([]);
  });

  test("is applied again by a node that starts on a database without it", async () => {
    const { env, server } = await restoredFrom(from);
    await server.context.db.run("UPDATE admin_tokens SET revoked_at = NULL");
    await server.context.db.run("DELETE FROM revocations");
    expect(await isLive(server, made.revoked)).toBe(true);
    // The list as it was: a node that stops writes what it has seen, and it has seen this.
    await server.stop();
    const again = await startServer(env);
    expect(await isLive(again, made.revoked)).toBe(false);
    expect(await isLive(again, made.kept)).toBe(true);
  });

  test("stops a start with a damaged list, and the message asks for another copy", async () => {
    const env = await freshEnvironment(dialect);
    copyCheckpoints(from, env);
    writeFileSync(join(checkpointsOf(env), "revocations.json"), "{}");
    const restoring = restore(env, made.out, { secretsKeyFile: secretsKeyFile(from) });
    await expect(restoring).rejects.toThrow(/list of revocations .* cannot be read\. Restore/);
  });
});

test("a restore into an older schema takes the revocations that it knows", () => {
  const list: Revocation[] = [
    { kind: "token", id: "adm_1", revokedAt: 1 },
    { kind: "platform_credential", id: "key_1", revokedAt: 1 },
  ];
  const older = new Set(["admin_tokens", "platforms", "revocations"]);
  expect(knownRevocations(list, older)).toEqual([list[0]]);
  expect(knownRevocations(list, new Set([...older, "platform_credentials"]))).toEqual(list);
});

test("every node keeps what another has revoked", async () => {
  const env = await freshEnvironment("postgres");
  const first = await startServer(env);
  const key = readFileSync(secretsKeyFile(env), "utf8").trim();
  const second: Env = {
    ...env,
    GATEHOUSE_DATA_DIR: temporaryFolder(),
    GATEHOUSE_SECRETS_KEY: key,
  };
  const other = await startServer(second);
  const body = { name: "Op", role: "operator" };
  const { token_id } = (await first.admin("POST", "/v1/admin/tokens", body)).body;
  await first.admin("DELETE", `/v1/admin/tokens/${token_id}`);
  await expect
    .poll(() => listOf(second).revoked.map(({ id }: { id: string }) => id), { timeout: 10_000 })
    .toContain(token_id);
  await other.stop();
});

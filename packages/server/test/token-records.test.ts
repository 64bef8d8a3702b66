import { beforeAll, describe, expect, test } from "vitest";
import { auditKeys, exportPart, verdictOf } from "./audit/exporting.ts";
import {
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  startServer,
  type TestServer,
} from "./harness.ts";

const TOKENS = "/v1/admin/tokens";
const INSTALLATION = "/v1/admin/installation/audit";

describe.each(DATABASES)("records of tokens on %s:", (dialect) => {
  let server: TestServer;
  let site: string;
  let other: string;

  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    site = (await createSite(server, "shop.example.com")).site_key_hash;
    other = (await createSite(server, "other.example.com")).site_key_hash;
    return cleanUp;
  });

  const issue = async (body: object, token?: string) =>
    (await server.admin("POST", TOKENS, body, token)).body;
  const mint = async (role: string, token?: string) =>
    (await server.admin("POST", `/v1/admin/sites/${site}/tokens`, { name: role, role }, token))
      .body;
  const revoke = (id: string, query = "") => server.admin("DELETE", `${TOKENS}/${id}${query}`);
  // biome-ignore lint/suspicious/noExplicitAny: what records hold
  const recordsOf = async (path: string, type: string): Promise<any[]> => {
    const { items } = (await server.admin("GET", `${path}/records?limit=200&type=${type}`)).body;
    return items.map(({ record }: { record: unknown }) => record);
  };
  const ofSite = (hash: string) => `/v1/admin/sites/${hash}/audit`;
  const isLive = async (token: string) =>
    (await server.admin("GET", "/v1/admin/sites", undefined, token)).status === 200;

  test("a token for several sites is recorded in the log of each, by its id only", async () => {
    const made = await issue({ name: "Ann Example", role: "owner", sites: [site, other] });
    await revoke(made.token_id);
    for (const hash of [site, other]) {
      for (const type of ["token.issued", "token.revoked"]) {
        const [record] = await recordsOf(ofSite(hash), type);
        expect(record).toMatchObject({
          type,
          actor: { kind: "token", id: "operator", role: "operator" },
          token: { token_id: made.token_id, role: "owner" },
        });
        const text = JSON.stringify(record);
        for (const secret of [made.token, "Ann Example", hash === site ? other : site]) {
          expect(text).not.toContain(secret);
        }
      }
    }
  });

  test("revoking a token again leaves no second record", async () => {
    const { token_id } = await mint("reviewer");
    for (const _ of [1, 2]) expect((await revoke(token_id)).status).toBe(204);
    const records = await recordsOf(ofSite(site), "token.revoked");
    expect(records.filter(({ token }) => token.token_id === token_id)).toHaveLength(1);
  });

  test("an edge token is recorded in the log of its site", async () => {
    const path = `/v1/admin/sites/${site}/edge-tokens`;
    const { token_id } = (await server.admin("POST", path, { name: "Worker" })).body;
    await revoke(token_id);
    for (const type of ["token.issued", "token.revoked"]) {
      const [record] = await recordsOf(ofSite(site), type);
      expect(record.token).toEqual({ token_id, role: "edge" });
    }
  });

  test("an operator's token is recorded in the installation's log, which verifies like a site's", async () => {
    const { token_id } = await issue({ name: "Op", role: "operator" });
    await revoke(token_id);
    const { items } = (await server.admin("GET", `${INSTALLATION}/logs`)).body;
    const { host } = new URL(server.context.config.baseUrl);
    expect(items).toMatchObject([{ chain: `${host}/installation/audit/1`, state: "open" }]);
    for (const type of ["token.issued", "token.revoked"]) {
      const [record] = await recordsOf(INSTALLATION, type);
      expect(record).toMatchObject({ site: "installation", token: { token_id, role: "operator" } });
      const shown = await server.admin("GET", `${INSTALLATION}/records/${record.record_id}`);
      expect([shown.status, shown.body.chain]).toEqual([200, items[0].chain]);
    }
    const checkpoint = await server.admin("GET", `${INSTALLATION}/checkpoint`);
    expect(checkpoint.body.split("\n")[0]).toBe(items[0].chain);
    const day = `${INSTALLATION}/exports?day=${items[0].last_day}`;
    const { name, text } = await exportPart(server, day);
    expect(name).toMatch(/^127\.0\.0\.1_\d+_installation-\d{4}-\d\d-\d\d\.json$/);
    const report = await verdictOf([text], { keys: await auditKeys(server) });
    expect([report.findings, report.logs.length]).toEqual([[], 1]);
  });

  test("only operators and their auditors can read the installation's log", async () => {
    const all = await issue({ name: "Auditor of all", role: "auditor" });
    const one = await issue({ name: "Auditor of one", role: "auditor", sites: [site] });
    const owner = await issue({ name: "Owner", role: "owner", sites: [site] });
    const logs = async (token: string) =>
      (await server.admin("GET", `${INSTALLATION}/logs`, undefined, token)).status;
    expect(await logs(all.token)).toBe(200);
    expect([await logs(one.token), await logs(owner.token)]).toEqual([404, 404]);
    const renew = { reason: "test", force: true };
    const renewed = await server.admin("POST", `${INSTALLATION}/epochs`, renew, all.token);
    expect(renewed.status).toBe(403);
    expect((await fetch(`${server.url}/v1/audit/installation/checkpoint`)).status).toBe(404);
  });

  test("the tokens made with a revoked one are listed, and revoked with it on request", async () => {
    const owner = await mint("owner");
    const child = await mint("owner", owner.token);
    const grandchild = await mint("reviewer", child.token);
    const edge = (
      await server.admin(
        "POST",
        `/v1/admin/sites/${site}/edge-tokens`,
        { name: "Worker" },
        child.token,
      )
    ).body;
    const bystander = await mint("reviewer");
    await revoke(owner.token_id);
    expect([await isLive(child.token), await isLive(grandchild.token)]).toEqual([true, true]);
    const descendants = `${TOKENS}/${owner.token_id}/descendants`;
    const listed = (await server.admin("GET", descendants)).body.items;
    expect(listed.map(({ token_id }: { token_id: string }) => token_id)).toEqual([
      child.token_id,
      grandchild.token_id,
      edge.token_id,
    ]);
    await revoke(owner.token_id, "?descendants=true");
    expect([await isLive(child.token), await isLive(grandchild.token)]).toEqual([false, false]);
    expect(await isLive(bystander.token)).toBe(true);
    expect((await server.admin("GET", descendants)).body.items).toEqual([]);
    const records = await recordsOf(ofSite(site), "token.revoked");
    for (const { token_id } of [child, grandchild, edge]) {
      const record = records.find(({ token }) => token.token_id === token_id);
      expect(record).toMatchObject({ revoked_with: owner.token_id });
    }
  });

  test("an owner neither sees nor revokes tokens made with tokens of other sites", async () => {
    const owner = await issue({ name: "Owner", role: "owner", sites: [site] });
    const theirs = await issue({ name: "Theirs", role: "owner", sites: [other] });
    const path = `${TOKENS}/${theirs.token_id}`;
    const asked = [
      await server.admin("GET", `${path}/descendants`, undefined, owner.token),
      await server.admin("DELETE", `${path}?descendants=true`, undefined, owner.token),
    ];
    expect(asked.map(({ status }) => status)).toEqual([404, 404]);
  });
});

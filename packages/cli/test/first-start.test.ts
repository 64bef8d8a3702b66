import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatehouse, serve } from "../../../test/gatehouse-process.ts";
import { freshEnvironment, temporaryFolder } from "../../server/test/harness.ts";

test("processes that start together in one empty folder agree on its key and token", async () => {
  const { GATEHOUSE_ADMIN_TOKEN: _, ...env } = await freshEnvironment("sqlite");
  const servers = await Promise.all([serve(env), serve(env), serve(env)]);
  const token = readFileSync(join(env.GATEHOUSE_DATA_DIR as string, "admin-token"), "utf8").trim();
  for (const { url } of servers) {
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/v1/admin/keys`, { headers })).status).toBe(200);
  }
  expect(servers.filter(({ seen }) => seen.out.includes(token)).length).toBe(1);
  await Promise.all(servers.map((server) => server.stop()));
  expect((await gatehouse(["doctor"], env)).code).toBe(0);
});

test("of several nodes that start together on one empty PostgreSQL without a common key, one starts and the others say why they do not", async () => {
  const env = await freshEnvironment("postgres");
  const nodes = await Promise.allSettled(
    [1, 2, 3].map(() => serve({ ...env, GATEHOUSE_DATA_DIR: temporaryFolder() })),
  );
  const started = nodes.filter(({ status }) => status === "fulfilled");
  expect(started.length).toBe(1);
  for (const node of nodes) {
    if (node.status === "rejected") expect(String(node.reason)).toMatch(/ended with 3: .*secrets/i);
  }
});

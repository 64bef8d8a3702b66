import { describe, expect, test } from "vitest";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

const CHANGES_PER_PROCESS = 60;
const LANES = 4;

/** Changes a site until enough were answered for; who loses a race to the same version tries again. */
async function change(node: NodeProcess, site: string, versions: number[]): Promise<void> {
  let left = CHANGES_PER_PROCESS;
  const lane = async (number: number) => {
    while (left > 0) {
      left--;
      const body = { description: `lane ${number}, ${left} left` };
      const answer = await node.admin("PATCH", `/v1/admin/sites/${site}`, body);
      if (answer.status === 409) left++;
      else versions.push(((await answer.json()) as { version: number }).version);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
}

describe.each(DATABASES)("two processes that write one log, on %s", (dialect) => {
  test("write one chain that contains every answer, without gap, fork or duplicate", {
    timeout: 60_000,
  }, async () => {
    const env = await freshEnvironment(dialect);
    const one = await startNode(env);
    const two = await startNode(env);
    const domain = "shop.example.com";
    const made = await one.admin("POST", "/v1/admin/sites", { domain, name: domain });
    const { site_key_hash: site } = (await made.json()) as { site_key_hash: string };
    const versions: number[] = [];
    // The key is rotated meanwhile: no process goes back to the old one.
    const rotate = async () => {
      for (let i = 0; i < 3; i++) {
        const answer = await one.admin("POST", "/v1/admin/keys/rotate", {
          purpose: "audit",
          force: true,
        });
        expect(answer.status).toBe(200);
      }
    };
    await Promise.all([change(one, site, versions), change(two, site, versions), rotate()]);
    await two.admin("GET", `/v1/admin/sites/${site}/audit/records`);
    const parts = (await exportDays(two, site)).map(({ text }) => text);
    const report = await verdictOf(parts, { keys: await auditKeys(two) });
    expect(report.findings).toEqual([]);
    const records = parts.flatMap((text) => JSON.parse(text).bundle.records);
    const recorded = records.flatMap(({ record }) => record.change?.version ?? []);
    expect(recorded).toEqual(Array.from({ length: 1 + 2 * CHANGES_PER_PROCESS }, (_, i) => i + 1));
    expect(versions.sort((a, b) => a - b)).toEqual(recorded.slice(1));
    expect(new Set(records.map(({ record }) => record.node)).size).toBe(2);
    const signers = records.map(({ key_id }) => key_id);
    const turns = signers.filter((key, i) => key !== signers[i - 1]);
    expect([turns.length > 1, new Set(turns).size]).toEqual([true, turns.length]);
  });
});

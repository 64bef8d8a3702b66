import { describe, expect, test } from "vitest";
import { gatehouse, serve } from "../../../test/gatehouse-process.ts";
import { DATABASES, freshEnvironment, OPERATOR_TOKEN } from "../../server/test/harness.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 1);
const HEADERS = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" };

async function createSite(url: string, domain: string): Promise<string> {
  const body = JSON.stringify({ domain, name: domain });
  const answer = await fetch(`${url}/v1/admin/sites`, { method: "POST", headers: HEADERS, body });
  return ((await answer.json()) as { site_key_hash: string }).site_key_hash;
}

/** Writes until the process is gone; what was answered must survive. */
async function writeUntilKilled(url: string, round: number, kill: () => void): Promise<string[]> {
  const answered: string[] = [];
  // A different moment in every round, by count of answers and not by time.
  const killAfter = 3 + ((round * 7) % 11);
  const writer = async (lane: number) => {
    for (let i = 0; ; i++) {
      answered.push(await createSite(url, `r${round}-${lane}-${i}.example.com`));
      if (answered.length === killAfter) kill();
    }
  };
  await Promise.allSettled([1, 2, 3].map(writer));
  return answered;
}

describe.each(DATABASES)("a service killed without warning on %s", (dialect) => {
  test("has everything it answered after a restart, and doctor finds nothing", {
    timeout: 60_000 + ROUNDS * 5000,
  }, async () => {
    const env = await freshEnvironment(dialect);
    const kept: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const server = await serve(env);
      const answered = await writeUntilKilled(server.url, round, () =>
        server.child.kill("SIGKILL"),
      );
      await server.stop("SIGKILL");
      kept.push(...answered);
      const checked = await gatehouse(["doctor"], env);
      expect([checked.code, checked.out]).toEqual([0, expect.not.stringMatching(/^✗/m)]);
    }
    const server = await serve(env);
    for (const hash of kept) {
      const answer = await fetch(`${server.url}/v1/admin/sites/${hash}`, { headers: HEADERS });
      expect(answer.status).toBe(200);
    }
    expect(kept.length).toBeGreaterThanOrEqual(3 * ROUNDS);
  });
});

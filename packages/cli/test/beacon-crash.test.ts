import { Agent, request } from "node:http";
import { describe, expect, test } from "vitest";
import { serve } from "../../../test/gatehouse-process.ts";
import { DATABASES, freshEnvironment, OPERATOR_TOKEN } from "../../server/test/harness.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const BEACONS = Number(process.env.CRASH_BEACONS ?? 600);
const LANES = 48;
const ADMIN = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" };
const UNLIMITED = {
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
  GATEHOUSE_BEACONS_PER_SITE_PER_MINUTE: "1000000",
};

interface Site {
  readonly site_key: string;
  readonly site_key_hash: string;
}

function post(agent: Agent, url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(
      `${url}/v1/discovery/ingest`,
      { agent, method: "POST", headers },
      (answer) => {
        answer
          .resume()
          .on("end", () => resolve(answer.statusCode ?? 0))
          .on("error", reject);
      },
    );
    sent.on("error", reject).end(body);
  });
}

/** Sends beacons from many sides and kills the service; those that got their 204. */
async function sendUntilKilled(url: string, { site_key }: Site, kill: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const answered: number[] = [];
  let next = 0;
  const lane = async () => {
    while (next < BEACONS) {
      const number = next++;
      const beacon = {
        schema_version: "1",
        site_key,
        observed_at: new Date().toISOString(),
        identification: {},
        page_context: { url: `https://shop.example.com/${number}` },
      };
      if ((await post(agent, url, JSON.stringify(beacon))) === 204) answered.push(number);
      // Killed in the midst of it, by the number of answers and not by time.
      if (answered.length === Math.floor(BEACONS / 2)) kill();
    }
  };
  await Promise.allSettled(Array.from({ length: LANES }, lane));
  agent.destroy();
  return answered;
}

async function* pagesSeen(url: string, { site_key_hash }: Site): AsyncGenerator<number> {
  for (let cursor = ""; ; ) {
    const path = `/v1/admin/sites/${site_key_hash}/visits?limit=200${cursor}`;
    const answer = await fetch(url + path, { headers: ADMIN });
    const { items, next_cursor } = (await answer.json()) as {
      items: { page_url: string }[];
      next_cursor?: string;
    };
    for (const { page_url } of items) yield Number(page_url.split("/").at(-1));
    if (next_cursor === undefined) return;
    cursor = `&cursor=${next_cursor}`;
  }
}

describe.each(DATABASES)(`${BEACONS} beacons before a kill on %s:`, (dialect) => {
  test("every beacon that was answered is stored as one visit, and counted", {
    timeout: 60_000 + BEACONS * 10,
  }, async () => {
    const env = { ...(await freshEnvironment(dialect)), ...UNLIMITED };
    const first = await serve(env);
    const body = JSON.stringify({ domain: "shop.example.com", name: "Shop" });
    const made = await fetch(`${first.url}/v1/admin/sites`, {
      method: "POST",
      headers: ADMIN,
      body,
    });
    const site = (await made.json()) as Site;
    const answered = await sendUntilKilled(first.url, site, () => first.child.kill("SIGKILL"));
    await first.stop("SIGKILL");
    expect(answered.length).toBeGreaterThanOrEqual(Math.floor(BEACONS / 2));
    const second = await serve(env);
    const seen: number[] = [];
    for await (const number of pagesSeen(second.url, site)) seen.push(number);
    expect(new Set(seen).size).toBe(seen.length);
    expect(answered.filter((number) => !seen.includes(number))).toEqual([]);
    const path = `/v1/admin/sites/${site.site_key_hash}/visits/counts`;
    const counted = (await (await fetch(second.url + path, { headers: ADMIN })).json()) as {
      items: { visits: number }[];
    };
    const sum = counted.items.reduce((all, { visits }) => all + visits, 0);
    expect(sum).toBe(seen.length);
  });
});

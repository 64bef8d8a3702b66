import { expect, test } from "vitest";
import { createAgent } from "../../../scripts/signing-agent.mjs";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { Edge } from "../src/edge.ts";
import { memoryShelf } from "../src/memory-shelf.ts";
import { readSettings } from "../src/settings.ts";

/** An edge whose reports are kept, and whose key sources never answer. */
function standing() {
  const clock = new ManualClock(Date.now());
  const reports: { visits: { signature?: { outcome: string; reason: string } }[] }[] = [];
  const asked: string[] = [];
  const settings = readSettings({
    gatehouse: "https://gate.example.com",
    siteKeyHash: "A".repeat(43),
    edgeToken: `ghe_${"a".repeat(43)}`,
  });
  if (!settings.ok) throw new Error(settings.detail);
  const edge = new Edge(settings.value, {
    clock,
    fetch: async (_url, init) => {
      reports.push(JSON.parse(String(init.body)));
      return new Response(null, { status: 204 });
    },
    fetchKeys: (url) => {
      asked.push(url);
      return new Promise(() => undefined);
    },
    shelf: memoryShelf(),
    sharesWork: true,
    warn: () => undefined,
  });
  return { clock, edge, reports, asked };
}

async function signedBy(origin: string) {
  const url = "https://shop.example.com/";
  const headers = await (await createAgent()).sign(url, { origin });
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { method: "GET", url, fields };
}

const PAGE = { status: 200, contentType: "text/html", ours: false };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a visit whose keys never arrive is reported after three seconds", async () => {
  const { clock, edge, reports } = standing();
  void edge.observe(await signedBy("https://silent.example.com"), PAGE);
  await turn();
  clock.advance(2_999);
  await turn();
  expect(reports).toEqual([]);
  clock.advance(1);
  await edge.flush();
  expect(reports[0]?.visits[0]?.signature).toMatchObject({
    outcome: "unverified",
    reason: "too_slow",
  });
});

test("while many signatures are being checked, no more keys are fetched, and visits are still reported", async () => {
  const { clock, edge, reports, asked } = standing();
  for (let n = 0; n < 70; n++) {
    void edge.observe(await signedBy(`https://silent${n}.example.com`), PAGE);
  }
  await turn();
  expect(asked).toHaveLength(64);
  clock.advance(3_000);
  await turn();
  await edge.flush();
  expect(reports.flatMap(({ visits }) => visits)).toHaveLength(70);
});

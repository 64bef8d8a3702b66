import { expect, test } from "vitest";
import { freshEnvironment } from "../harness.ts";
import { auditKeys, exportingVerifier, partsOf } from "./exporting.ts";
import { startNode } from "./node-process.ts";

/** A sample in `npm test`; `npm run test:long` asks for the contract's hundred thousand. */
const RECORDS = Number(process.env.LARGE_DAY_RECORDS ?? 2500);
const MEMORY_MB_MAX = 200;

test(`a day of ${RECORDS} records is exported within ${MEMORY_MB_MAX} MB, and verifies`, {
  timeout: 60_000 + RECORDS * 10,
}, async () => {
  const env = await freshEnvironment("sqlite");
  const filler = await startNode(env);
  const made = await filler.admin("POST", "/v1/admin/sites", {
    domain: "big.example.com",
    name: "Big",
  });
  const { site_key_hash: site } = (await made.json()) as { site_key_hash: string };
  await filler.ask({ fill: { site, count: RECORDS } });
  filler.child.kill("SIGTERM");
  await filler.died;
  // A process that has done nothing else: what it needs at most, it needed to export.
  const node = await startNode(env);
  const verifier = exportingVerifier({ keys: await auditKeys(node) });
  let files = 0;
  for await (const { text } of partsOf(node, site)) {
    const added = await verifier.add(text);
    if (!added.ok) throw new Error(added.detail);
    files++;
  }
  const report = verifier.report();
  expect([report.findings, report.records >= RECORDS]).toEqual([[], true]);
  expect(files).toBe(Math.ceil(report.records / 1000));
  const { peakKb } = await node.ask({});
  console.log(`${report.records} records in ${files} parts, ${Math.round(peakKb / 1024)} MB`);
  expect(peakKb / 1024).toBeLessThan(MEMORY_MB_MAX);
});

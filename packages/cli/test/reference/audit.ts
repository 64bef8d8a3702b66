import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Coverage, noService } from "./covered.ts";
import type { Stage } from "./stage.ts";

async function newestRecord({ run, shop }: Stage): Promise<string> {
  const { out } = await run("audit", "tail", shop, "-n", "1", "--json");
  return JSON.parse(out).record.record_id;
}

/** `audit`: the signed log of what was decided. */
export const audit: Coverage = {
  "audit export": {
    args: ({ shop, fresh }) => [shop, "--out", fresh("export")],
    says: /^\S+\/\S+-\d{4}-\d\d-\d\d\.json$/m,
    json: { files: [expect.stringMatching(/\.json$/)] },
    fails: {
      args: ({ shop, fresh }) => [shop, "--out", fresh("export"), "--format", "pdf"],
      code: 2,
      says: /^--format: pdf is not valid\.$/m,
      next: /Use one of: json, html, ocsf\./,
    },
  },
  "audit archive": {
    args: () => ["--keep-days", "30"],
    says: /^Nothing to archive before \d{4}-\d\d-\d\d\.$/m,
    json: { dry_run: false, days: [] },
    fails: {
      args: () => ["--keep-days", "30", "--before", "2030-05-17"],
      code: 2,
      says: /^Use either --before or --keep-days\.$/m,
      next: /gatehouse audit archive --keep-days 90/,
    },
  },
  "audit verify": {
    args: async ({ exported, url }) => [await exported(), "--key", url],
    says: /^✓ integrity +no record was changed, moved, added or removed$/m,
    json: { ok: true, answers: { integrity: { verdict: "holds" } } },
    fails: {
      args: async ({ exported, file, url }) => {
        const text = readFileSync(await exported(), "utf8");
        return [file("json", text.replace('"recorded_at":"2', '"recorded_at":"3')), "--key", url];
      },
      code: 1,
      says: /^The export does not verify\.$/m,
      next: /Keep these files, export the day again, and compare/,
    },
  },
  "audit tail": {
    args: ({ shop }) => [shop, "-n", "3"],
    says: /^ +\d+ {2}\S+Z {2}\S+ .*\n.*\n.*\n$/,
    json: { record: { seq: expect.any(Number) }, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    jsonLines: true,
    fails: {
      args: ({ shop }) => [shop, "-n", "1000"],
      code: 2,
      says: /^--lines: 1000 is out of range\.$/m,
      next: /Use a number from 1 to 200\./,
    },
  },
  "audit show": {
    args: async (at) => [at.shop, await newestRecord(at)],
    says: /^✓ hash .*\n✓ signature .*\n✓ inclusion /m,
    json: { checks: [{ ok: true }, { ok: true }, { ok: true }] },
    fails: {
      args: ({ shop }) => [shop, "00000000-0000-7000-8000-000000000000"],
      code: 1,
      says: /^There is no such record in the site's log\.$/m,
      next: /`gatehouse audit tail \S+` shows the newest/,
    },
  },
  "audit logs": {
    args: ({ shop }) => [shop],
    says: /^LOG +STATE +RECORDS +FROM +TO\n\S+\/audit\/1 +open +\d+ /,
    json: { items: [{ state: "open" }] },
    fails: noService(({ siteKey }) => [siteKey]),
  },
  "audit checkpoint": {
    args: ({ shop }) => [shop],
    says: /^\S+\/audit\/1\n\d+\n\S+\n\n— \S+ \S+$/m,
    json: { checkpoint: expect.stringMatching(/\n\n— /) },
    fails: noService(({ siteKey }) => [siteKey]),
  },
  "audit renew": {
    args: async ({ site }) => [await site(), "--reason", "a test", "--force"],
    says: /^log +\S+\/audit\/2\nstate +open$/m,
    json: { state: "open", chain: expect.stringMatching(/\/audit\/2$/) },
    fails: {
      args: async ({ site }) => [await site(), "--reason", "a test"],
      code: 1,
      says: /^This log is not frozen/,
      next: /See http:\S+\/docs\/errors\/\S+\.md/,
    },
  },
};

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complaintsBy, schemasAbsent } from "./schemas.ts";
import { threeSites, type VerifiedSite } from "./site.ts";

let sites: readonly VerifiedSite[];
beforeAll(async () => {
  sites = await threeSites();
});
afterAll(() => Promise.all(sites.map((site) => site.done())));

describe.skipIf(schemasAbsent)("ARD's schemas:", () => {
  test("the strict catalog is valid by ARD 0.9", async ({ task }) => {
    const complaints = complaintsBy("ard/ard-v0.9-strict.schema.json");
    for (const site of sites) expect(complaints(await site.read("ard"))).toEqual([]);
    Object.assign(task.meta, { outside: sites.length });
  });

  test("the contract's catalog adds exactly one member", async () => {
    const complaints = complaintsBy("ard/ard-v0.9-strict.schema.json");
    for (const site of sites) {
      expect(complaints(await site.read("catalog"))).toEqual([
        '/ must NOT have additional properties {"additionalProperty":"trustManifest"}',
      ]);
    }
  });

  test("both catalogs are valid by ARD 0.91", async ({ task }) => {
    const complaints = complaintsBy("ard/ard-manifest.derived.schema.json");
    for (const site of sites) {
      for (const form of ["catalog", "ard"] as const) {
        expect(complaints(await site.read(form))).toEqual([]);
      }
    }
    Object.assign(task.meta, { outside: 2 * sites.length });
  });
});

test("every entry of the catalog resolves", async () => {
  for (const site of sites) {
    for (const { url } of (await site.read("ard")).entries) {
      expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    }
  }
});

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { FETCH_MS_MAX, lighthouseArd } from "./fetched.ts";
import { complaintsBy, schemasAbsent } from "./schemas.ts";
import { type VerifiedSite, verifiedSite } from "./site.ts";

const sites: VerifiedSite[] = [];
beforeAll(async () => {
  sites.push(
    await verifiedSite({ description: "Bouquets, delivered the same day." }),
    await verifiedSite({}, []),
    await verifiedSite({
      name: 'Café "Zoë" </script> 花屋 🌷',
      description: "ורדים \u200f— ] ( {",
    }),
  );
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

test("the validator inside Lighthouse finds no error in the strict catalog", {
  timeout: FETCH_MS_MAX,
}, async ({ skip, task }) => {
  const ConformanceTester = await lighthouseArd();
  if (ConformanceTester === undefined) return skip("Lighthouse could not be fetched");
  for (const { paths } of sites) {
    const response = await fetch(inject("target").url + paths.ard);
    const tester = new ConformanceTester();
    tester.validate_manifest(await response.text(), "ard.json");
    expect(tester.errors).toEqual([]);
    // ARD has registered no media type for these two, and says so of any other.
    expect(tester.warnings.map(({ message }) => message.split(" is not one of ")[0])).toEqual([
      "Media type 'text/markdown'",
      "Media type 'application/json'",
    ]);
  }
  Object.assign(task.meta, { outside: sites.length });
});

test("every entry of the catalog resolves", async () => {
  for (const site of sites) {
    for (const { url } of (await site.read("ard")).entries) {
      expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    }
  }
});

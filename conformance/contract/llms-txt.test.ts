import { expect, inject, test } from "vitest";
import {
  ask,
  askAsOperator,
  pagesOf,
  pathsOf,
  type Site,
  setSkills,
  siteWithSkills,
  verifiedSite,
} from "./asking.ts";

const textOf = async (site: Site) => (await ask("GET", pathsOf(site).llms)).text;

/** The links of a Markdown text, as `title url`. */
const links = (text: string) =>
  [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, url]) => `${title} ${url}`);

test("[4-g] llms.txt answers 200 with plain text", async () => {
  const { status, headers } = await ask("GET", pathsOf(await verifiedSite()).llms);
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
});

test("[1.1-c 1.8-i] llms.txt is generated for each site and follows its owner's changes", async () => {
  const fern = await verifiedSite({ name: "Fern", description: "Flowers for all." });
  const moss = await verifiedSite({ name: "Moss", description: "Quiet gardens." });
  const [ofFern, ofMoss] = [await textOf(fern), await textOf(moss)];
  expect(ofFern).toMatch(/^# Fern\n\n> Flowers for all\.\n/);
  expect(ofMoss).toMatch(/^# Moss\n\n> Quiet gardens\.\n/);
  for (const [text, site] of [
    [ofFern, fern],
    [ofMoss, moss],
  ] as const) {
    expect(text).toContain(site.domain);
    expect(text).toContain(`(${inject("target").url}${pathsOf(site).card})`);
  }
  await askAsOperator("PATCH", `/v1/admin/sites/${fern.site_key_hash}`, { name: "Fern & Co" });
  expect(await textOf(fern)).toMatch(/^# Fern & Co\n/);
  expect(await textOf(moss)).toBe(ofMoss);
});

test("[1.6-e] llms.txt links the live skills, in the owner's order, and no others", async () => {
  const { site, all, live } = await siteWithSkills();
  const skillLinks = (text: string) => links(text).filter((link) => link.includes(pagesOf(site)));
  const titles: Record<string, string> = {
    track_order: "Track an order",
    get_pricing: "Get pricing",
  };
  const text = await textOf(site);
  expect(skillLinks(text)).toEqual(live.map(({ id, url }) => `${titles[id]} ${url}`));
  const dead = all.filter(({ id }) => titles[id] === undefined);
  for (const { id } of dead) expect(text).not.toContain(id);
  await setSkills(site, dead);
  expect(await textOf(site)).not.toContain(pagesOf(site));
});

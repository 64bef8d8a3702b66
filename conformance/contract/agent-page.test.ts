import { expect, inject, test } from "vitest";
import {
  ask,
  pagesOf,
  pathsOf,
  pendingSite,
  type Site,
  setSkills,
  siteWithSkills,
  verifiedSite,
} from "./asking.ts";
import { type Card, cardVerifies, keySet } from "./verifying.ts";

const { url } = inject("target");
const pageOf = async (site: Site) => (await ask("GET", pathsOf(site).page)).text;
const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/g;

/** The data block that is a card, whatever else the page carries. */
function embeddedCard(page: string) {
  const blocks = [...page.matchAll(SCRIPT)]
    .filter(([tag]) => tag.startsWith('<script type="application/ld+json"'))
    .map(([, json]) => JSON.parse(json as string));
  return blocks.find((block) => block.protocol_version !== undefined);
}

const unsigned = ({ signing: _, signatures: __, ...rest }: Card) => rest;

test("[4-h] the agent page answers 200 as HTML", async () => {
  const { status, headers } = await ask("GET", pathsOf(await verifiedSite()).page);
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
});

test("[1.1-d 1.8-j] a site has its own complete HTML page, readable without scripts", async () => {
  const site = await verifiedSite({ name: "Fern", description: "Flowers for all." });
  const page = await pageOf(site);
  expect(page).toMatch(/^<!doctype html>\s*<html lang="\w+">/i);
  const body = /<body>([\s\S]+)<\/body>\s*<\/html>\s*$/.exec(page)?.[1] ?? "";
  const read = body.replace(/<[^>]*>/g, "");
  for (const words of ["Fern", "Flowers for all.", site.domain]) expect(read).toContain(words);
  expect(body).toContain(`href="${url}${pathsOf(site).card}"`);
});

test("[4-i] the page embeds the site's signed card as JSON-LD, whatever text the owner wrote", async () => {
  const { site } = await siteWithSkills({ name: 'Fern "&" </script><b> 花' });
  const embedded = embeddedCard(await pageOf(site));
  expect(embedded["@context"]).toContain("https://schema.org");
  expect(embedded["@type"]).toEqual(expect.any(String));
  expect(embedded.name).toBe(site.name);
  expect(cardVerifies(embedded, await keySet())).toBe(true);
  const { body } = await ask("GET", pathsOf(site).card);
  expect(unsigned(embedded)).toEqual(unsigned(body));
});

test("[1.6-f] the page links the live skills, in the owner's order, and no others", async () => {
  const { site, all, live } = await siteWithSkills();
  const shown = async () => (await pageOf(site)).replace(SCRIPT, "");
  const skillLinks = (page: string) =>
    [...page.matchAll(/href="([^"]*)"/g)]
      .map(([, href]) => href as string)
      .filter((href) => href.startsWith(pagesOf(site)));
  const page = await shown();
  expect(skillLinks(page)).toEqual(live.map((skill) => skill.url));
  for (const { id } of all) {
    const isLive = live.some((skill) => skill.id === id);
    expect([id, page.includes(id)]).toEqual([id, isLive]);
  }
  await setSkills(site, []);
  expect(skillLinks(await shown())).toEqual([]);
});

test("[4-j] a verified domain redirects with 302 to its agent page, and other domains do not", async () => {
  const byDomain = (domain: string) =>
    ask("GET", `/v1/agent/domain/${domain}`, { redirect: "manual" });
  const site = await verifiedSite();
  const { status, headers } = await byDomain(site.domain);
  expect([status, headers.get("location")]).toEqual([302, url + pathsOf(site).page]);
  const { text } = await ask("GET", headers.get("location") as string);
  expect(embeddedCard(text).site.domain).toBe(site.domain);
  const pending = await pendingSite();
  expect((await byDomain(pending.domain)).status).toBe(404);
  expect((await byDomain(`not-${site.domain}`)).status).toBe(404);
});

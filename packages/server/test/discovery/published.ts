import { expect } from "vitest";
import { answerOf, createSite, type TestServer } from "../harness.ts";

export const SKILLS = [
  { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
  {
    id: "track_delivery",
    enabled: true,
    url: "https://shop.example.com/track",
    title: "Track a delivery",
    description: "See where a bouquet is.",
  },
];

/** Where every document of a site stands, by the name that is shown when a test fails. */
export function documentPaths(site: { site_key: string; site_key_hash: string }) {
  const { site_key: key, site_key_hash: hash } = site;
  return {
    card: `/v1/agent-card/${key}.json`,
    a2a: `/v1/agent-card/${key}/a2a.json`,
    catalog: `/v1/catalog/${key}.json`,
    ard: `/v1/catalog/${key}/ard.json`,
    llms: `/v1/llms/${hash}.txt`,
    page: `/v1/agent/${hash}`,
    did: `/v1/did/${hash}.json`,
    acp: `/v1/acp/${hash}.json`,
    mcpServerCard: `/v1/mcp/${key}/server-card`,
    robots: `/v1/robots/${hash}.txt`,
  };
}

/** A verified site with live skills, and a way to read what it publishes. */
export async function publishedSite(
  server: TestServer,
  domain = "shop.example.com",
  skills: readonly object[] = SKILLS,
) {
  const site = await createSite(server, domain);
  const admin = `/v1/admin/sites/${site.site_key_hash}`;
  const setSkills = async (list: readonly object[]) => {
    const answer = await server.admin("PUT", `${admin}/skills`, { skills: list });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  await setSkills(skills);
  const paths = documentPaths(site);
  return {
    site,
    admin,
    paths,
    setSkills,
    get: async (name: keyof typeof paths, init: RequestInit = {}) =>
      answerOf(await fetch(server.url + paths[name], init)),
  };
}

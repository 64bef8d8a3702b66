import { expect } from "vitest";
import { ask, askAsOperator, newSite } from "../contract/asking.ts";

export interface SkillOfSite {
  readonly id: string;
  /** Where on the site the skill leads to. */
  readonly path: string;
  readonly title?: string;
  readonly description?: string;
}

const SKILLS: readonly SkillOfSite[] = [
  { id: "get_pricing", path: "/prices" },
  { id: "contact_support", path: "/help?topic=agents" },
  {
    id: "track_delivery",
    path: "/track",
    title: "Track a delivery",
    description: "See where a bouquet is.",
  },
];

/** Where the service publishes the documents of a site. */
function pathsOf(key: string, hash: string) {
  return {
    card: `/v1/agent-card/${key}.json`,
    a2aCard: `/v1/agent-card/${key}/a2a.json`,
    catalog: `/v1/catalog/${key}.json`,
    ard: `/v1/catalog/${key}/ard.json`,
    llms: `/v1/llms/${hash}.txt`,
    agentPage: `/v1/agent/${hash}`,
    did: `/v1/did/${hash}.json`,
    acp: `/v1/acp/${hash}.json`,
    mcpServerCard: `/v1/mcp/${key}/server-card`,
  };
}

/** Reads a document that must be there. */
export async function readDocument(path: string) {
  const { status, body } = await ask("GET", path);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

/** A verified site with live skills, deleted when `done` is called. */
export async function verifiedSite(
  fields: Record<string, unknown> = {},
  skills: readonly SkillOfSite[] = SKILLS,
) {
  const { site, done } = await newSite(fields);
  const { site_key, site_key_hash, domain } = site;
  const admin = `/v1/admin/sites/${site_key_hash}`;

  async function change(method: string, path: string, body: unknown): Promise<void> {
    const answer = await askAsOperator(method, admin + path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }
  const setSkills = (list: readonly SkillOfSite[]) =>
    change("PUT", "/skills", {
      skills: list.map(({ path, ...skill }) => {
        return { ...skill, enabled: true, url: `https://${domain}${path}` };
      }),
    });

  await change("POST", "/verify", { method: "operator", reason: "outside readers" });
  await setSkills(skills);
  const paths = pathsOf(site_key, site_key_hash);
  return {
    domain: domain as string,
    paths,
    read: (document: keyof typeof paths) => readDocument(paths[document]),
    setSkills,
    setDescription: (description: string) => change("PATCH", "", { description }),
    done,
  };
}

export type VerifiedSite = Awaited<ReturnType<typeof verifiedSite>>;

/** An ordinary site, one without skills, and one whose words need escaping. */
export const threeSites = async (): Promise<readonly VerifiedSite[]> => [
  await verifiedSite({ description: "Bouquets, delivered the same day." }),
  await verifiedSite({}, []),
  await verifiedSite({
    name: 'Café "Zoë" </script> 花屋 🌷',
    description: "ורדים \u200f— ] ( {",
  }),
];

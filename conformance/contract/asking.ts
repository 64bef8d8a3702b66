import { inject, onTestFinished } from "vitest";

/** Where to ask, and with which operator's token. */
export interface Service {
  readonly url: string;
  readonly adminToken: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the contract promises
  readonly body: any;
}

/** One request to a path of the service, or to a whole URL; JSON bodies are read. */
export async function ask(
  method: string,
  path: string,
  init: RequestInit = {},
  at: Service = inject("target"),
): Promise<Answer> {
  const url = path.startsWith("/") ? at.url + path : path;
  const response = await fetch(url, { ...init, method });
  const text = await response.text();
  const json = /[/+]json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? JSON.parse(text) : text,
  };
}

/** A request with the operator's token. */
export function askAsOperator(
  method: string,
  path: string,
  body?: unknown,
  at: Service = inject("target"),
): Promise<Answer> {
  const init = {
    headers: { authorization: `Bearer ${at.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return ask(method, path, init, at);
}

/** A site the suite made, deleted when `done` is called. */
export async function newSite(fields: Record<string, unknown> = {}, at?: Service) {
  const unique = Math.random().toString(36).slice(2, 10);
  const site = { domain: `${unique}.conformance.example.com`, name: "Conformance", ...fields };
  const { body } = await askAsOperator("POST", "/v1/admin/sites", site, at);
  return {
    site: body,
    done: () => askAsOperator("DELETE", `/v1/admin/sites/${body.site_key_hash}`, undefined, at),
  };
}

export interface Site {
  readonly site_key: string;
  readonly site_key_hash: string;
  readonly domain: string;
  readonly name: string;
}

export interface Skill {
  readonly id: string;
  readonly enabled: boolean;
  readonly url?: string;
  readonly title?: string;
  readonly description?: string;
}

/** A site whose domain nobody has proven, deleted when the test ends. */
export async function pendingSite(fields?: Record<string, unknown>): Promise<Site> {
  const { site, done } = await newSite(fields);
  onTestFinished(async () => void (await done()));
  return site;
}

/** A site whose domain is proven, deleted when the test ends. */
export async function verifiedSite(fields?: Record<string, unknown>): Promise<Site> {
  const site = await pendingSite(fields);
  await verifyDomain(site);
  return site;
}

export async function verifyDomain({ site_key_hash }: Site, at?: Service): Promise<void> {
  const proof = { method: "operator", reason: "conformance" };
  mustBe(200, await askAsOperator("POST", `/v1/admin/sites/${site_key_hash}/verify`, proof, at));
}

export async function setSkills({ site_key_hash }: Site, skills: readonly Skill[]): Promise<void> {
  mustBe(200, await askAsOperator("PUT", `/v1/admin/sites/${site_key_hash}/skills`, { skills }));
}

/** Without the preparation a test would prove something else than it says. */
function mustBe(wanted: number, { status, text }: Answer): void {
  if (status !== wanted) throw new Error(`the preparation was answered ${status}: ${text}`);
}

/** Pages of this site; no document links below this path but for skills. */
export const pagesOf = ({ domain }: Site) => `https://${domain}/pages/`;

/** Skills in the owner's order: two that are live, and between them one for each way not to be. */
function mixedSkills(site: Site): { readonly all: Skill[]; readonly live: Skill[] } {
  const page = (name: string) => pagesOf(site) + name;
  const pricing = { id: "get_pricing", enabled: true, url: page("prices") };
  const track = {
    id: "track_order",
    enabled: true,
    url: page("track"),
    title: "Track an order",
    description: "See where an order is.",
  };
  return {
    all: [
      { id: "sign_up", enabled: false, url: page("join") },
      track,
      { id: "book_meeting", enabled: true },
      { id: "old_offer", enabled: false, url: page("offer"), title: "Old offer" },
      pricing,
      { id: "place_order", enabled: true },
    ],
    live: [track, pricing],
  };
}

/** A verified site with the skills of `mixedSkills`. */
export async function siteWithSkills(fields?: Record<string, unknown>) {
  const site = await verifiedSite(fields);
  const skills = mixedSkills(site);
  await setSkills(site, skills.all);
  return { site, ...skills };
}

/** Where the documents of a site stand. */
export function pathsOf({ site_key, site_key_hash }: Site) {
  return {
    card: `/v1/agent-card/${site_key}.json`,
    catalog: `/v1/catalog/${site_key}.json`,
    llms: `/v1/llms/${site_key_hash}.txt`,
    page: `/v1/agent/${site_key_hash}`,
  };
}

export const KEY_SET = "/.well-known/jwks.json";

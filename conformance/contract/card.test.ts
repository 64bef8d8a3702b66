import { parseUrl } from "@gatehouse/protocol";
import { expect, inject, test } from "vitest";
import { ask, pathsOf, type Site, setSkills, siteWithSkills, verifiedSite } from "./asking.ts";
import {
  a2aVerifies,
  altered,
  type Card,
  canonical,
  cardVerifies,
  keySet,
  withoutEnvelope,
} from "./verifying.ts";

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const { url } = inject("target");
const cardOf = async (site: Site) => (await ask("GET", pathsOf(site).card)).body;

test("[4-c] the card answers 200 with UTF-8 JSON", async () => {
  const { status, headers } = await ask("GET", pathsOf(await verifiedSite()).card);
  expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
});

test("[1.1-a 1.8-b] a site has a signed agent card in A2A's format", async () => {
  const { site, live } = await siteWithSkills({ name: "Fern", description: "Flowers for all." });
  const card = await cardOf(site);
  const text = expect.stringMatching(/./);
  expect(card).toMatchObject({ name: "Fern", description: "Flowers for all.", version: text });
  expect(card.capabilities).toMatchObject({ streaming: false, pushNotifications: false });
  for (const list of [card.supportedInterfaces, card.defaultInputModes, card.defaultOutputModes]) {
    expect(list.length).toBeGreaterThan(0);
  }
  for (const one of card.supportedInterfaces) {
    expect(one).toMatchObject({ url: text, protocolBinding: text, protocolVersion: text });
  }
  expect(card.skills.length).toBe(live.length);
  for (const skill of card.skills) {
    expect(skill).toMatchObject({ id: text, name: text, description: text });
    expect(skill.tags.length).toBeGreaterThan(0);
  }
  const keys = await keySet();
  expect(cardVerifies(card, keys)).toBe(true);
  const twin = (await ask("GET", `/v1/agent-card/${site.site_key}/a2a.json`)).body;
  expect(a2aVerifies(twin, keys)).toBe(true);
  expect(card.signatures).toEqual(twin.signatures);
});

test("[2.3-a 9-c] the card's protocol version is a2a/1.2", async () => {
  expect((await cardOf(await verifiedSite())).protocol_version).toBe("a2a/1.2");
});

test("[1.6-b 2.3-b] the card lists the live skills, each with its page, and no others", async () => {
  const { site, live } = await siteWithSkills();
  const { skills } = await cardOf(site);
  const named = (id: string, page: string | undefined) => `${id} ${page}`;
  expect(skills.map((skill: { id: string; url?: string }) => named(skill.id, skill.url))).toEqual(
    live.map((skill) => named(skill.id, skill.url)),
  );
  const track = skills.find(({ id }: { id: string }) => id === "track_order");
  expect([track.name, track.description]).toEqual(["Track an order", "See where an order is."]);
});

test("[2.3-c] the card has an empty list of skills if none is live", async () => {
  const { site, all, live } = await siteWithSkills();
  expect((await cardOf(site)).skills).not.toEqual([]);
  await setSkills(
    site,
    all.filter(({ id }) => !live.some((skill) => skill.id === id)),
  );
  expect((await cardOf(site)).skills).toEqual([]);
  await setSkills(site, []);
  expect((await cardOf(site)).skills).toEqual([]);
});

test("[2.3-d] the card names the site's mandate endpoint", async () => {
  const site = await verifiedSite();
  const card = await cardOf(site);
  expect(card.site.service_endpoint).toBe(`${url}/v1/m/${site.site_key}/mandate`);
});

test("[2.3-e] the card says when it was issued, in ISO-8601 UTC", async () => {
  const { issued_at } = (await cardOf(await verifiedSite())).signing;
  expect(issued_at).toMatch(ISO_UTC);
  expect(Date.parse(issued_at)).not.toBeNaN();
});

test("[2.3-f 8-c] the card expires 15 minutes after it was issued", async () => {
  const { issued_at, expires_at } = (await cardOf(await verifiedSite())).signing;
  expect(expires_at).toMatch(ISO_UTC);
  expect(Date.parse(expires_at) - Date.parse(issued_at)).toBe(15 * 60_000);
});

test("[2.3-g 4.1.12-a] the card verifies with the key it names, and with no other key", async () => {
  const { site } = await siteWithSkills();
  const card: Card = await cardOf(site);
  const keys = await keySet();
  const kid = card.signing.signing_key_id;
  const key = keys.find((one) => one.kid === kid);
  expect(key).toBeDefined();
  expect(cardVerifies(card, keys)).toBe(true);
  const others = keys.filter(({ x }) => x !== key?.x);
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(cardVerifies(card, [{ ...other, kid }])).toBe(false);
});

test("[2.3-h] the envelope signature is 64 raw bytes in unpadded base64url", async () => {
  const card: Card = await cardOf(await verifiedSite());
  const { envelope_signature } = card.signing;
  expect(envelope_signature).toMatch(/^[A-Za-z0-9_-]{86}$/);
  const bytes = Buffer.from(envelope_signature, "base64url");
  expect([bytes.length, bytes.toString("base64url")]).toEqual([64, envelope_signature]);
  expect(cardVerifies(card, await keySet())).toBe(true);
});

test("[2.3-i] the envelope signature covers everything in the card except itself", async () => {
  const { site } = await siteWithSkills();
  const card: Card = await cardOf(site);
  const keys = await keySet();
  expect(cardVerifies(card, keys)).toBe(true);
  const { envelope_signature } = card.signing;
  const forgeries = [...altered(withoutEnvelope(card))] as Card[];
  expect(forgeries.length).toBeGreaterThan(50);
  for (const { signing, ...rest } of forgeries) {
    const forged = { ...rest, signing: { ...signing, envelope_signature } };
    expect([canonical(forged), cardVerifies(forged, keys)]).toEqual([canonical(forged), false]);
  }
});

test("[1.2-a 1.2-c] one fetch of the key set verifies the cards of all sites, without an SDK", async () => {
  const keys = await keySet();
  const older = `sk_${Math.random().toString(36).slice(2)}_conformance`;
  const sites = [await verifiedSite(), await verifiedSite({ site_key: older })];
  sites.push((await siteWithSkills()).site);
  for (const site of sites) {
    const card = await cardOf(site);
    expect([card.site.site_key, card.site.domain]).toEqual([site.site_key, site.domain]);
    expect(cardVerifies(card, keys)).toBe(true);
  }
});

test("[9-i] the id of the signing key contains v1", async () => {
  const { signing_key_id } = (await cardOf(await verifiedSite())).signing;
  expect(signing_key_id).toMatch(/-v1-/);
});

/** Every address of the service that stands anywhere in a document. */
function ownAddresses(value: unknown): string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap(ownAddresses);
  const address = typeof value === "string" ? parseUrl(value) : undefined;
  if (typeof value !== "string" || address === undefined) return [];
  return address.origin === new URL(url).origin ? [value.replace(/#.*$/, "")] : [];
}

const TASK_METHODS = ["message/send", "message/stream", "SendMessage", "tasks/get"];

test("[1.8-c] no address in the card accepts A2A tasks: each refuses message/send with JSON", async () => {
  const { site } = await siteWithSkills();
  const card = await cardOf(site);
  const interfaces: { url: string; protocolBinding: string }[] = card.supportedInterfaces;
  for (const { protocolBinding } of interfaces) {
    expect(["JSONRPC", "GRPC", "HTTP+JSON"]).not.toContain(protocolBinding);
  }
  const addresses = new Set(ownAddresses(card));
  for (const one of interfaces) {
    expect(addresses).toContain(one.url);
    addresses.add(`${one.url}/message:send`);
  }
  const message = { role: "user", messageId: "m1", parts: [{ kind: "text", text: "Hello" }] };
  for (const address of addresses) {
    for (const method of TASK_METHODS) {
      const { status, headers, body } = await ask("POST", address, {
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { id: "t1", message } }),
      });
      const refused = status >= 400 || typeof body.error?.code === "number";
      expect([address, method, refused]).toEqual([address, method, true]);
      expect(headers.get("content-type")).toMatch(/json/);
      expect(body).not.toHaveProperty("result");
    }
  }
});

import { expect, test } from "vitest";
import { ask, askAsOperator, type Site, verifiedSite } from "./asking.ts";

const INGEST = "/v1/discovery/ingest";

const beaconOf = ({ site_key, domain }: Site, fields: Record<string, unknown> = {}) => ({
  schema_version: "1",
  site_key,
  observed_at: new Date().toISOString(),
  identification: { user_agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" },
  page_context: { url: `https://${domain}/prices` },
  ...fields,
});

const send = (beacon: unknown, headers: Record<string, string> = {}) =>
  ask("POST", INGEST, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(beacon),
  });

async function visitsOf({ site_key_hash }: Site) {
  return (await askAsOperator("GET", `/v1/admin/sites/${site_key_hash}/visits`)).body.items;
}

/** Sends beacons that differ in one field, and tells which were taken. */
async function taken(field: string, values: readonly unknown[]) {
  const site = await verifiedSite();
  const statuses: number[] = [];
  for (const value of values)
    statuses.push((await send(beaconOf(site, { [field]: value }))).status);
  return { statuses, visits: await visitsOf(site) };
}

test("[4-b] a JSON beacon is answered 204 without a body, and recorded as a visit", async () => {
  const site = await verifiedSite();
  const { status, text, headers } = await send(beaconOf(site));
  expect([status, text, headers.get("content-type")]).toEqual([204, "", null]);
  expect(await visitsOf(site)).toHaveLength(1);
});

test("[2.2-a 9-b] schema_version must be the string 1", async () => {
  const { statuses, visits } = await taken("schema_version", ["1", 1, "2", undefined]);
  expect([statuses, visits.length]).toEqual([[204, 400, 400, 400], 1]);
});

test("[2.2-b 5-b] site_key names the site of the visit", async () => {
  const [one, two] = [await verifiedSite(), await verifiedSite()];
  await send(beaconOf(two, { site_key: one.site_key }));
  expect([(await visitsOf(one)).length, (await visitsOf(two)).length]).toEqual([1, 0]);
  expect((await send(beaconOf(one, { site_key: `us_${"A".repeat(43)}` }))).status).toBe(404);
  expect((await send(beaconOf(one, { site_key: 7 }))).status).toBe(400);
});

test("[2.2-c] observed_at is an ISO-8601 UTC time, and becomes the visit's time", async () => {
  const moment = new Date(Date.now() - 3_600_000).toISOString();
  const values = [moment, "yesterday", 5, "2030-01-01T00:00:00+01:00"];
  const { statuses, visits } = await taken("observed_at", values);
  expect(statuses).toEqual([204, 400, 400, 400]);
  expect(visits[0].observed_at).toBe(moment);
});

test("[2.2-d] identification is an object that says who visited", async () => {
  const person = { user_agent: "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Firefox/140.0" };
  const driven = { ...person, automation: { webdriver: true } };
  const agent = { user_agent: "ClaudeBot/1.0" };
  const values = [person, driven, agent, "ClaudeBot", undefined];
  const { statuses, visits } = await taken("identification", values);
  expect(statuses).toEqual([204, 204, 204, 400, 400]);
  const kinds = visits.map(({ classification }: { classification: string }) => classification);
  expect(kinds.sort()).toEqual(["declared_agent", "person", "suspected_automation"]);
});

test("[2.2-e] page_context is an object", async () => {
  const { statuses } = await taken("page_context", [{}, "https://a.example/", [], undefined]);
  expect(statuses).toEqual([204, 400, 400, 400]);
});

test("[5-a] a beacon needs no authentication, and ignores any that is sent", async () => {
  const site = await verifiedSite();
  const { status } = await send(beaconOf(site), { authorization: "Bearer nobody" });
  expect(status).toBe(204);
});

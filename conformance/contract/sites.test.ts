import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { askAsOperator, newSite } from "./asking.ts";

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

async function madeSite(fields: Record<string, unknown> = {}) {
  const { site, done } = await newSite(fields);
  onTestFinished(() => void done());
  return site;
}

test("[2.1-a 9-j] a new site key is us_ followed by 43 characters", async () => {
  expect((await madeSite()).site_key).toMatch(/^us_[A-Za-z0-9_-]{43}$/);
});

test("[9-k] an older key that starts with sk_ is imported unchanged", async () => {
  const site_key = `sk_${Math.random().toString(36).slice(2)}_conformance`;
  const site = await madeSite({ site_key });
  expect(site.site_key).toBe(site_key);
});

test("[2.1-c] a site key hash is 43 characters, derived from the key", async () => {
  const { site_key, site_key_hash } = await madeSite();
  expect(site_key_hash).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(site_key_hash).toBe(createHash("sha256").update(site_key).digest("base64url"));
});

test("[2.1-e] routes with {site_key_hash} take the hash, not the key", async () => {
  const { site_key, site_key_hash } = await madeSite();
  expect((await askAsOperator("GET", `/v1/admin/sites/${site_key_hash}`)).status).toBe(200);
  expect((await askAsOperator("GET", `/v1/admin/sites/${site_key}`)).status).toBe(404);
});

test("[4.1.6-a 7-b] an unknown site answers 404", async () => {
  const { status, body } = await askAsOperator("GET", `/v1/admin/sites/${"A".repeat(43)}`);
  expect([status, body.error]).toEqual([404, "not_found"]);
});

test("[4.1.7-a] timestamps are ISO-8601 in UTC", async () => {
  const { site_key_hash, created_at, changed_at } = await madeSite();
  const path = `/v1/admin/sites/${site_key_hash}/verify`;
  const { body } = await askAsOperator("POST", path, { method: "operator", reason: "conformance" });
  for (const time of [created_at, changed_at, body.verification.verified_at, body.changed_at]) {
    expect(time).toMatch(ISO_UTC);
  }
});

test("[4.1.7-c] public keys are 32 bytes in unpadded base64url", async () => {
  const { items } = (await askAsOperator("GET", "/v1/admin/keys")).body;
  expect(items.length).toBeGreaterThan(0);
  for (const { x } of items) {
    expect(x).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(x, "base64url").toString("base64url")).toBe(x);
  }
});

/** What agents are told while a service cannot write. The test stops its writes, so it runs its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateAgentKey, mandateFor, openAgentKey, sign } from "@gatehouse/agent";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServingGatehouse, serve } from "../../test/gatehouse-process.ts";
import { type Answer, ask, askAsOperator, newSite, verifyDomain } from "./asking.ts";

const someoneElses = process.env.GATEHOUSE_TARGET !== undefined;
const adminToken = "conformance-operator-token-0123456789";
const folder = mkdtempSync(join(tmpdir(), "gatehouse-unavailable-"));
let service: ServingGatehouse;
let held: Answer;
let later: Answer;
let decidedMeanwhile: unknown[];

beforeAll(async () => {
  if (someoneElses) return;
  service = await serve({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: adminToken,
  });
  const at = { url: service.url, adminToken };
  const { site } = await newSite({}, at);
  await verifyDomain(site, at);
  const admin = (method: string, path: string, body?: unknown) =>
    askAsOperator(method, `/v1/admin/sites/${site.site_key_hash}${path}`, body, at);
  const skill = { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" };
  await admin("PUT", "/skills", { skills: [skill] });
  const rules = [{ id: "open", effect: "allow", when: { skill: { eq: skill.id } } }];
  await admin("PUT", "/policy", { policy: "rules/1", timezone: "UTC", default: "deny", rules });
  const key = await openAgentKey(await generateAgentKey());
  const added = await admin("POST", "/agents", { name: "Agent", jwk: key.jwk });
  const mandateUrl = `${service.url}/v1/m/${site.site_key}/mandate`;
  const shop = { siteKey: site.site_key, mandateUrl };
  const mandate = await sign(mandateFor(shop, added.body.agent_id, { skill: skill.id }), key);
  const send = () =>
    ask("POST", mandateUrl, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(mandate),
    });
  const database = new DatabaseSync(join(folder, "gatehouse.db"));
  database.exec("BEGIN IMMEDIATE");
  held = await send();
  decidedMeanwhile = (await admin("GET", "/decisions")).body.items;
  database.exec("ROLLBACK");
  database.close();
  later = await send();
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(someoneElses)("a mandate whose checks cannot complete", () => {
  test("[4.1.10-g 7-n] is answered 503 with outcome unavailable, and can be retried", () => {
    expect([held.status, held.body.outcome]).toEqual([503, "unavailable"]);
    expect(Number(held.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("[4.1.10-h 7-o] gets no decision until the checks can complete", () => {
    expect(decidedMeanwhile).toEqual([]);
    expect([later.status, later.body.outcome]).toEqual([200, "approved"]);
    expect(later.headers.get("idempotent-replayed")).toBeNull();
  });
});

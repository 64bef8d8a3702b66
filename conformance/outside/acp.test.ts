import { afterAll, beforeAll, expect, test } from "vitest";
import { complaintsBy, schemasAbsent } from "./schemas.ts";
import { type VerifiedSite, verifiedSite } from "./site.ts";

const BUNDLE = "acp/spec/2026-04-17/json-schema/schema.agentic_checkout.json";

interface Extension {
  readonly uri: string;
  readonly params: unknown;
}

let shop: VerifiedSite;
beforeAll(async () => {
  shop = await verifiedSite();
});
afterAll(() => shop.done());

test.skipIf(schemasAbsent)(
  "the ACP discovery document is valid by ACP's schema",
  async ({ task }) => {
    const complaints = complaintsBy(BUNDLE, "#/$defs/DiscoveryResponse");
    const document = await shop.read("acp");
    expect(complaints(document)).toEqual([]);
    expect(complaints({ ...document, capabilities: { services: ["other"] } })).not.toEqual([]);
    Object.assign(task.meta, { outside: 1 });
  },
);

test("the ACP discovery document offers no service and no transport, because ACP is not enabled", async () => {
  const { protocol, capabilities, transports } = await shop.read("acp");
  expect([capabilities, transports]).toEqual([{ services: [] }, []]);
  expect([protocol.name, protocol.version]).toEqual(["acp", "2026-04-17"]);
});

test("the catalog and the card link to the ACP discovery document", async () => {
  const { entries } = await shop.read("catalog");
  const { capabilities } = await shop.read("card");
  const { url } = entries.find(({ tags }: { tags: string[] }) => tags.includes("acp"));
  const named = capabilities.extensions.find(({ uri }: Extension) => uri === url);
  expect(named.params).toEqual({ version: "2026-04-17", status: "not_enabled" });
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([200, await shop.read("acp")]);
});

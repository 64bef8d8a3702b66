import { type AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import type { JWK } from "jose";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { oneChange } from "./one-change.ts";
import { complaintsBy, schemasAbsent } from "./schemas.ts";
import { readDocument, type VerifiedSite, verifiedSite } from "./site.ts";

const FORMS = [
  ["full card", "card"],
  ["pure card", "a2aCard"],
] as const;
const BUNDLE = "a2a/a2a.v1.0.1.refs-fixed.json";
const REQUIRED = "a2a/agent-card.required.derived.schema.json";

let shop: VerifiedSite;
beforeAll(async () => {
  shop = await verifiedSite({ description: "Bouquets, delivered the same day." });
});
afterAll(() => shop.done());

/** Fetches a card as any user of the SDK would. */
function resolve(site: VerifiedSite, form: (typeof FORMS)[number][1]): Promise<AgentCard> {
  return new DefaultAgentCardResolver().resolve(inject("target").url, site.paths[form]);
}

async function keyFromKeySet(kid: string): Promise<JWK> {
  const { keys } = await readDocument("/.well-known/jwks.json");
  const key = keys.find((one: JWK) => one.kid === kid);
  if (key === undefined) throw new Error(`the key set has no ${kid}`);
  return key;
}

const verify = verifyAgentCardSignature(keyFromKeySet);

async function otherSite(fields: Record<string, unknown>, skills?: []) {
  const site = await verifiedSite(fields, skills);
  onTestFinished(async () => void (await site.done()));
  return site;
}

describe("the A2A SDK", () => {
  test.each(FORMS)("fetches and verifies the %s", async (_, form) => {
    const card = await resolve(shop, form);
    expect(card.skills.map(({ id }) => id)).toEqual([
      "get_pricing",
      "contact_support",
      "track_delivery",
    ]);
    await verify(card);
  });

  test.each(FORMS)("verifies the %s of a site without live skills", async (_, form) => {
    const card = await resolve(await otherSite({}, []), form);
    expect(card.skills ?? []).toEqual([]);
    await verify(card);
  });

  test.each(FORMS)("verifies the %s of a site whose words are not ASCII", async (_, form) => {
    const words = { name: "Café Zoë 花屋 🌷", description: "ורדים \u200f— Blumen für alle 👩‍🌾" };
    const card = await resolve(await otherSite(words), form);
    expect([card.name, card.description]).toEqual([words.name, words.description]);
    await verify(card);
  });

  test("refuses a card in which any one A2A member was changed", async () => {
    // It writes every signature that does not fit to the console.
    const quiet = vi.spyOn(console, "debug").mockReturnValue();
    onTestFinished(() => quiet.mockRestore());
    const { signatures, ...members } = await shop.read("a2aCard");
    const full = await shop.read("card");
    const accepted: string[] = [];
    let count = 0;
    for (const { where, changed } of oneChange(members)) {
      const pure = { ...(changed as object), signatures } as unknown as AgentCard;
      for (const card of [pure, { ...full, ...pure }]) {
        count++;
        await verify(card).then(
          () => accepted.push(where),
          () => undefined,
        );
      }
    }
    expect(accepted).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });

  test("creates no client, because nothing claims to accept A2A tasks", async () => {
    for (const [, form] of FORMS) {
      const card = await resolve(shop, form);
      await expect(new ClientFactory().createFromAgentCard(card)).rejects.toThrow(
        /no compatible transport/i,
      );
    }
  });
});

describe.skipIf(schemasAbsent)("A2A's schemas:", () => {
  test("the pure card is valid by A2A's own bundle, which allows nothing else", async ({
    task,
  }) => {
    const complaints = complaintsBy(BUNDLE, "#/definitions/Agent%20Card");
    expect(complaints(await shop.read("a2aCard"))).toEqual([]);
    expect(complaints(await (await otherSite({}, [])).read("a2aCard"))).toEqual([]);
    const refused = complaints(await shop.read("card"));
    expect(refused.every((complaint) => complaint.includes("additional properties"))).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    Object.assign(task.meta, { outside: 2 });
  });

  test("both cards have every member that A2A requires", async ({ task }) => {
    const complaints = complaintsBy(REQUIRED);
    for (const [, form] of FORMS) expect(complaints(await shop.read(form))).toEqual([]);
    Object.assign(task.meta, { outside: 2 });
  });
});

import { expect, onTestFinished, test } from "vitest";
import { complaintsBy, schemasAbsent } from "./schemas.ts";
import { verifiedSite } from "./site.ts";

async function serverCard(fields: Record<string, unknown> = {}) {
  const site = await verifiedSite(fields);
  onTestFinished(async () => void (await site.done()));
  return site.read("mcpServerCard");
}

const complaintsAbout = (card: unknown) =>
  complaintsBy("mcp/server-card.schema.json", "#/$defs/ServerCard")(card);

test.skipIf(schemasAbsent)("the server card is valid by MCP's schema", async ({ task }) => {
  const card = await serverCard();
  expect(complaintsAbout(card)).toEqual([]);
  const { version, ...unversioned } = card;
  expect([version, complaintsAbout(unversioned).length]).toEqual([expect.any(String), 1]);
  Object.assign(task.meta, { outside: 1 });
});

test.skipIf(schemasAbsent)(
  "the server card of a site with the longest allowed texts is valid by MCP's schema",
  async ({ task }) => {
    const label = Math.random().toString(36).slice(2, 10).padEnd(60, "a");
    const card = await serverCard({
      domain: `${label}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(58)}.example.com`,
      name: "花".repeat(120),
      description: "🌷".repeat(250),
    });
    expect(complaintsAbout(card)).toEqual([]);
    Object.assign(task.meta, { outside: 1 });
  },
);

import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, startServer, TIER_DATABASES } from "../harness.ts";
import { INITIALIZE, mcpShop } from "./asking.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Shop = Awaited<ReturnType<typeof mcpShop>>;

/** Everything the logs hold, as they hold it. */
async function logOf({ server }: Shop) {
  const rows = await server.context.db.all<{ text: string }>(
    "SELECT text FROM audit_records ORDER BY seq",
  );
  const records = rows.map(({ text }) => JSON.parse(text));
  const ofType = (wanted: string) => records.filter(({ type }) => type === wanted);
  return { text: rows.map(({ text }) => text).join("\n"), ofType };
}

const keptWords = ({ server }: Shop) =>
  server.context.db.all<{ commitment: string; salt: string; words: string }>(
    "SELECT commitment, salt, words FROM stranger_words ORDER BY words",
  );

async function sessionOf({ rpc }: Shop, clientInfo: { name: string; version: string }) {
  const { headers } = await rpc("initialize", { ...INITIALIZE, clientInfo });
  return { "mcp-session-id": headers.get("mcp-session-id") ?? "" };
}

describe.each(TIER_DATABASES)("text written by a stranger, on %s:", (dialect) => {
  test("no record contains it, and each commitment can be checked while its salt is kept", async () => {
    const clock = new ManualClock(NOON);
    const shop = await mcpShop({ dialect, overrides: { clock } });
    const client = { name: "Ludmila of 12 Rose Lane", version: "call-me-0123" };
    const session = await sessionOf(shop, client);
    await shop.call(session);
    await shop.call(session, "insult_of_somebody");
    await shop.call(session, "insult_of_somebody");
    const { text, ofType } = await logOf(shop);
    for (const word of ["Ludmila", "call-me", "insult"]) expect(text).not.toContain(word);
    const kept = await keptWords(shop);
    expect(kept.map(({ words }) => words)).toEqual([
      "Ludmila of 12 Rose Lane",
      "call-me-0123",
      "insult_of_somebody",
    ]);
    for (const { commitment, salt, words } of kept)
      expect(hash("sha256", `${salt} ${words}`)).toBe(commitment);
    const [name, version, tool] = kept.map(({ commitment }) => commitment);
    const said = { name_commitment: name, version_commitment: version };
    expect(ofType("mcp.tools_call")).toMatchObject([
      { client: said, tool: { name: "get_pricing" } },
      { client: said, tool: { name_commitment: tool, reason: "unknown_tool" } },
      { client: said, tool: { name_commitment: tool } },
    ]);
    await shop.server.admin("DELETE", shop.admin);
    expect(await keptWords(shop)).toEqual([]);
  });

  test("the name of a well-known client is recorded as it is", async () => {
    const shop = await mcpShop({ dialect });
    await shop.call(await sessionOf(shop, { name: "claude-ai", version: "" }));
    const [record] = (await logOf(shop)).ofType("mcp.tools_call");
    expect(record.client).toEqual({
      address: "127.0.0.0/24",
      name: "claude-ai",
      session: record.client.session,
    });
  });
});

describe.each(TIER_DATABASES)("calls that a limit refuses, on %s:", (dialect) => {
  test("ten in a minute get a record each, and the others share one record with counts by reason", async () => {
    const clock = new ManualClock(NOON);
    const env = { GATEHOUSE_MCP_CALLS_PER_ADDRESS_PER_MINUTE: "2" };
    const shop = await mcpShop({ dialect, env, overrides: { clock } });
    for (let n = 0; n < 32; n++) await shop.call();
    clock.advance(MINUTE_MS);
    await shop.call();
    const { ofType } = await logOf(shop);
    const limited = ofType("mcp.tools_call").filter(({ tool }) => tool.outcome === "rate_limited");
    expect(limited).toHaveLength(10);
    expect(ofType("refusals.folded")).toMatchObject([
      {
        refusals: { count: 20, counts: { address_limit: 20 }, reason_codes: ["address_limit"] },
        request: { method: "POST", route: "/v1/mcp/{site_key}" },
      },
    ]);
    expect(await findingsOfSite(shop.server, shop.site.site_key_hash)).toEqual([]);
  });
});

describe.each(TIER_DATABASES)("the records that strangers can add in a day, on %s:", (dialect) => {
  test("calls over the quota are refused and counted until midnight, also after a restart", async () => {
    const clock = new ManualClock(NOON);
    const env = {
      GATEHOUSE_MCP_RECORD_KB_PER_SITE_PER_DAY: "20",
      GATEHOUSE_MCP_CALLS_PER_ADDRESS_PER_MINUTE: "1000",
    };
    const shop = await mcpShop({ dialect, env, overrides: { clock } });
    const limitOf = async () => (await shop.call()).body.error?.data;
    let answered = 0;
    while ((await limitOf()) === undefined) answered++;
    // A record takes more than a kilobyte and less than two.
    expect([answered > 10, answered < 20]).toEqual([true, true]);
    expect(await limitOf()).toEqual({
      error: "rate_limited",
      retry_after_seconds: DAY_MS / 2 / 1000,
      scope: "day",
    });
    for (let n = 0; n < 20; n++) await limitOf();
    clock.advance(MINUTE_MS);
    await shop.server.stop();
    const again = await startServer(shop.server.env, { clock });
    const asked = await fetch(shop.url.replace(shop.server.url, again.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_pricing", arguments: {} },
      }),
    });
    expect((await asked.json()).error.data.scope).toBe("day");
    const { ofType } = await logOf({ ...shop, server: again });
    const counts = ofType("refusals.folded").map(({ refusals }) => refusals.counts);
    expect(counts).toEqual([{ day_limit: 12 }]);
    clock.advance(DAY_MS / 2);
    await again.admin("GET", shop.admin);
    const { recordAllowance } = again.context;
    expect(await recordAllowance.waitMs(shop.site.site_key_hash)).toBe(0);
  });
});

import { describe, expect, inject, onTestFinished, test } from "vitest";
import { siteWithSkills } from "../contract/asking.ts";
import { recordedCalls } from "../contract/calling.ts";
import { OFFICIAL_CLIENTS } from "./clients.ts";

describe.each(OFFICIAL_CLIENTS)("$name", ({ connect, revision }) => {
  async function connected() {
    const { site, live } = await siteWithSkills();
    const client = await connect(`${inject("target").url}/v1/mcp/${site.site_key}`);
    onTestFinished(() => client.close());
    return { client, site, live };
  }

  test("connects, lists the site's skills and calls each of them", async () => {
    const { client, site, live } = await connected();
    expect(client.getInstructions()).toContain(site.domain);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(live.map(({ id }) => id));
    for (const { id, url } of live) {
      const result = await client.callTool({ name: id, arguments: { question: "Where?" } });
      expect(result.structuredContent).toMatchObject({ skill: id, url });
    }
    const calls = (await recordedCalls(site)).map(({ record }) => record);
    const heard = calls.map(({ tool, client: by, protocol_version }) => {
      return [tool.name, tool.outcome, by.name, protocol_version];
    });
    expect(heard).toEqual(live.map(({ id }) => [id, "answered", undefined, revision]));
    // What a client nobody knows calls itself stands in the log as a commitment.
    const commitment = expect.stringMatching(/^[0-9a-f]{64}$/);
    for (const { client: by } of calls) {
      expect(by).toMatchObject({ name_commitment: commitment, version_commitment: commitment });
    }
  });

  test("gets a readable result for wrong arguments, and an error for an unknown tool", async () => {
    const { client } = await connected();
    await client.listTools();
    const odd = await client.callTool({ name: "get_pricing", arguments: { budget: 5 } });
    expect(odd).toMatchObject({ isError: true });
    await expect(client.callTool({ name: "no_such_tool" })).rejects.toMatchObject({ code: -32602 });
    const again = await client.callTool({ name: "get_pricing" });
    expect(again.isError).toBe(false);
  });
});

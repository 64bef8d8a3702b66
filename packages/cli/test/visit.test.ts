import { expect, test } from "vitest";
import { freshEnvironment, startServer } from "../../server/test/harness.ts";
import { command } from "./command.ts";

test("visit list and visit count show who visited, for people and for programs", async () => {
  const env = await freshEnvironment("sqlite");
  const { url } = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const run = (...args: string[]) => command(args, here);
  const made = JSON.parse(
    (await run("site", "create", "shop.example.com", "--name", "Shop", "--json")).out,
  );
  for (const verb of ["list", "count"]) {
    const none = await run("visit", verb, "shop.example.com");
    expect(none.out).toMatch(/^No visits yet\. .*: gatehouse site check shop\.example\.com\n$/);
    const filtered = await run("visit", verb, "shop.example.com", "--agent", "GPTBot");
    expect(filtered.out).toBe(
      `No visits match. Show all: gatehouse visit ${verb} shop.example.com\n`,
    );
  }
  const observed_at = new Date().toISOString();
  for (const user_agent of ["GPTBot/1.2", "GPTBot/1.2", "Mozilla/5.0 Firefox/140.0"]) {
    const beacon = {
      schema_version: "1",
      site_key: made.site_key,
      observed_at,
      identification: { user_agent },
      page_context: { url: "https://shop.example.com/prices?who=me" },
    };
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const answer = await fetch(`${url}/v1/discovery/ingest`, {
      ...init,
      body: JSON.stringify(beacon),
    });
    expect(answer.status).toBe(204);
  }
  const { out } = await run("visit", "list", "shop.example.com", "--agent", "GPTBot");
  const [heading, first, , ...rest] = out.trimEnd().split("\n");
  expect(heading).toMatch(/^OBSERVED_AT +CLASSIFICATION +AGENT +SIGNATURE +PAGE$/);
  expect(first).toContain(`${observed_at}  declared_agent  GPTBot (OpenAI)`);
  expect(first).toMatch(/ {2}https:\/\/shop\.example\.com\/prices$/);
  expect(rest).toEqual([]);
  const counted = await run("visit", "count", "shop.example.com", "--by", "hour");
  expect(counted.out).toMatch(/HOUR +VISITS +VERIFIED_AGENT .*\n\S+ +3 +0 +2 +0 +1 +GPTBot 2\n/);
  const json = JSON.parse((await run("visit", "count", "shop.example.com", "--json")).out);
  expect(json.items[0]).toMatchObject({ visits: 3, by_agent: { GPTBot: 2 } });
  const wrong = await run("visit", "list", "shop.example.com", "--classification", "robot");
  expect(wrong.code).toBe(2);
});

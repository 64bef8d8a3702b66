import { expect, test } from "vitest";
import { mcpShop } from "../../server/test/mcp/asking.ts";
import { command } from "./command.ts";

const SHOP = "shop.example.com";

test("an owner lists questions, answers one, publishes the answer and dismisses another", async () => {
  const { server, call } = await mcpShop();
  const env = { ...(server.env as Record<string, string>), GATEHOUSE_BASE_URL: server.url };
  const run = (...args: string[]) => command(["question", ...args], env);
  expect((await run("list", SHOP)).out).toBe("There are no questions with the state new.\n");
  for (const question of ["Is it free?", "Who are you\u202e?"]) {
    await call({}, "get_pricing", { question });
    await server.context.questions.drain();
  }
  const listed = await run("list", SHOP);
  expect(listed.out).toMatch(/get_pricing {2}1 × .+Who are you\?\n.+Is it free\?\n/);
  const { items } = JSON.parse((await run("list", SHOP, "--json")).out);
  const [who, free] = items.map(({ question_id }: { question_id: string }) => question_id);
  expect((await run("answer", SHOP, free, "Yes.")).out).toBe("answered\n");
  const published = await run("answer", SHOP, free, "Yes.", "--publish");
  expect(published.out).toBe("answered and published\n");
  expect((await run("dismiss", SHOP, who)).out).toBe("dismissed\n");
  expect((await run("list", SHOP, "--state", "answered")).out).toMatch(/Is it free\? +Yes\. +yes/);
  const unknown = await run("dismiss", SHOP, "qst_none");
  expect([unknown.code, unknown.err]).toEqual([
    1,
    expect.stringMatching(/^There is no such question\./),
  ]);
});

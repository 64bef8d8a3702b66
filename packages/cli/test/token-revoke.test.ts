import { expect, test } from "vitest";
import { freshEnvironment, startServer } from "../../server/test/harness.ts";
import { command } from "./command.ts";

test("revoking a token names the tokens made with it that still work, and revokes them on request", async () => {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const here: Record<string, string> = { ...env, GATEHOUSE_BASE_URL: server.url };
  const run = (args: string[], token?: string) =>
    command(args, token === undefined ? here : { ...here, GATEHOUSE_ADMIN_TOKEN: token });
  const create = async (token?: string) => {
    const args = ["token", "create", "--name", "x", "--role", "operator", "--json"];
    return JSON.parse((await run(args, token)).out);
  };
  const parent = await create();
  const child = await create(parent.token);
  const listed = (await run(["token", "list"])).out;
  expect(listed).toMatch(new RegExp(`^${child.token_id} .* ${parent.token_id} +never +live$`, "m"));
  const first = await run(["token", "revoke", parent.token_id]);
  expect([first.out, first.err]).toEqual([
    `Revoked ${parent.token_id}.\n`,
    `1 token created with it, directly or indirectly, can still be used. To revoke them too, run \`gatehouse token revoke ${parent.token_id} --with-descendants\`.\n`,
  ]);
  expect((await run(["token", "list"], child.token)).code).toBe(0);
  const second = await run(["token", "revoke", parent.token_id, "--with-descendants"]);
  expect(second.out).toBe(`Revoked ${parent.token_id} and 1 token created with it.\n`);
  expect((await run(["token", "list"], child.token)).code).not.toBe(0);
  const records = await run(["audit", "tail", "installation", "--type", "token.revoked"]);
  expect(records.out).toContain(`${child.token_id} with ${parent.token_id}`);
});

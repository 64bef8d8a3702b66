import { expect, test } from "vitest";
import { freshEnvironment, OPERATOR_TOKEN, startServer } from "../../server/test/harness.ts";
import { command } from "./command.ts";

test("a link signs its user in to the console with the rights of the token", async () => {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: server.url };
  const printed = await command(["token", "link"], here);
  const { baseUrl } = server.context.config;
  expect([printed.code, printed.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${baseUrl}/console#code=[\\w-]{43}\n$`)),
  ]);
  expect(printed.err).toContain("The first person who opens it");
  const code = new URL(printed.out.trim()).hash.replace("#code=", "");
  const signedIn = await fetch(`${server.url}/v1/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gatehouse-console": "1" },
    body: JSON.stringify({ code }),
  });
  expect([signedIn.status, ((await signedIn.json()) as { role: string }).role]).toEqual([
    201,
    "operator",
  ]);
  const json = JSON.parse((await command(["token", "link", "--json"], here)).out);
  expect(Object.keys(json)).toEqual(["url", "expires_at"]);
  const wrong = { ...here, GATEHOUSE_ADMIN_TOKEN: `${OPERATOR_TOKEN}x` };
  expect((await command(["token", "link"], wrong)).code).toBe(1);
});

import { expect, test } from "vitest";
import { freshEnvironment, OPERATOR_TOKEN, startServer } from "../../server/test/harness.ts";
import { command } from "./command.ts";

test("the first link makes its user the operator, and later ones sign in with the rights of the token", async () => {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: server.url };
  const { baseUrl } = server.context.config;
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gatehouse-console": "1" },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const linkOf = async (kind: string) => {
    const printed = await command(["token", "link"], here);
    const [, code] =
      new RegExp(`^${baseUrl}/console#${kind}=([\\w-]{43})\n$`).exec(printed.out) ?? [];
    return { code, printed };
  };
  const first = await linkOf("set-up");
  expect(first.printed.code).toBe(0);
  expect(first.printed.err).toContain("The first person who uses it becomes the operator");
  const made = await ask("/v1/console/set-up", { code: first.code, name: "Olga" });
  expect(made).toMatchObject({ status: 201, kind: "person", role: "operator" });
  const next = await linkOf("code");
  expect(next.printed.err).toContain("signed in with the rights of this token");
  const signedIn = await ask("/v1/console/session", { code: next.code });
  expect(signedIn).toMatchObject({ status: 201, kind: "token", role: "operator" });
  const json = JSON.parse((await command(["token", "link", "--json"], here)).out);
  expect(Object.keys(json)).toEqual(["url", "kind", "expires_at"]);
  const wrong = { ...here, GATEHOUSE_ADMIN_TOKEN: `${OPERATOR_TOKEN}x` };
  expect((await command(["token", "link"], wrong)).code).toBe(1);
});

test("an edge token does not expire, and a life is a number of days", async () => {
  const env = await freshEnvironment("sqlite");
  const create = (...args: string[]) => command(["token", "create", "--name", "x", ...args], env);
  const edge = await create("--role", "edge", "--expires", "90d");
  expect([edge.code, edge.err]).toEqual([2, expect.stringContaining("does not expire")]);
  for (const life of ["90", "0d", "-1d", "1.5d", "12345d"]) {
    const refused = await create("--role", "operator", `--expires=${life}`);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("such as 90d")]);
  }
});

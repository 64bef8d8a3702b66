import { beforeAll, describe, expect, test } from "vitest";
import { isAtLeast, type Role } from "../../src/domain/access/principal.ts";
import { browser } from "../console-browser.ts";
import { cleanUp, createSite, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { ADMIN_ROUTES, type RouteRule } from "./admin-routes.ts";
import { joined, joinedOperator, type Page, withPasskey } from "./joining.ts";
import { type Schema, sampleOf } from "./sample.ts";

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

/** A route with a rule of the table, and a call that its schema accepts. */
interface Route extends RouteRule {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
  readonly text: string | undefined;
}

const DAY = "2030-05-16";
/** Queries that routes need. */
const QUERIES: readonly (readonly [route: RegExp, query: string])[] = [
  [/audit\/exports$/, `?day=${DAY}`],
  [/(patch|delete) .*\/products$/, "?id=rose"],
  [/products\/picture$/, "?id=rose"],
];

function routeOf(name: string, operation: Operation, rule: RouteRule): Route {
  const [method = "", path = ""] = name.split(" ");
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isJson = type === "application/json";
  const sample = isJson ? JSON.stringify(rule.body ?? sampleOf(content?.schema ?? {})) : "id\n";
  const query = QUERIES.find(([pattern]) => pattern.test(name))?.[1] ?? "";
  const text = type === undefined ? undefined : sample;
  return { ...rule, name, method: method.toUpperCase(), path: path + query, type, text };
}

describe("every route of the admin API", () => {
  let server: TestServer;
  let routes: readonly Route[];
  let documented: readonly string[];
  const sites = { mine: "", theirs: "" };
  const ids: Record<string, string> = {};
  const people: Record<string, Page> = {};

  const fill = (path: string, site: string) =>
    path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
      name === "site_key_hash" ? site : (ids[name] ?? "none"),
    );

  /** Calls a route, and does not read a stream to its end. */
  async function call(route: Route, headers: Record<string, string>, site = sites.mine) {
    const ending = new AbortController();
    const { method, type, text } = route;
    const response = await fetch(server.url + fill(route.path, site), {
      method,
      headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
      ...(text === undefined ? {} : { body: text }),
      signal: ending.signal,
    });
    const { status } = response;
    const refusal = status >= 400 && status !== 500 ? await response.json() : undefined;
    ending.abort();
    return { status, asked: refusal?.reason_code === "confirmation_required", refusal };
  }

  const asPerson = (page: Page) => ({ ...page.own, cookie: page.cookie ?? "" });
  const asToken = (token: string) => ({ authorization: `Bearer ${token}` });
  const tokenOf = async (role: string, site: string) =>
    (await server.admin("POST", `/v1/admin/sites/${site}/tokens`, { name: role, role })).body;

  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    sites.mine = (await createSite(server, "mine.example.com")).site_key_hash as string;
    sites.theirs = (await createSite(server, "theirs.example.com")).site_key_hash as string;
    for (const role of ["auditor", "reviewer"]) {
      people[role] = (await joined(server, sites.mine, role)).page;
    }
    people.elsewhere = (await joined(server, sites.theirs, "owner")).page;
    // Nothing is refused to them for want of a passkey.
    for (const page of Object.values(people)) await withPasskey(server, page);
    people.operator = (await joinedOperator(server)).page;
    ids.person_id = (await joined(server, sites.mine, "owner", "Olga")).id;
    ids.token_id = (await tokenOf("owner", sites.mine)).token_id;
    ids.step = "suspend";
    ids.version = "1";
    ids.platform = "platform.example";
    const live = { kind: "stripe", railOn: true, settles: true, live: true };
    const account = JSON.stringify({ ...live, walletMerchantId: null, publishableKey: null });
    await server.context.db.run("UPDATE sites SET processor = ?", account);
    const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
    const operations = Object.entries<Record<string, Operation>>(paths)
      .filter(([path]) => path.startsWith("/v1/admin/"))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          name: `${method} ${path}`,
          operation,
        })),
      );
    documented = operations.map(({ name }) => name);
    routes = operations.flatMap(({ name, operation }) => {
      const rule = ADMIN_ROUTES[name];
      return rule === undefined ? [] : [routeOf(name, operation, rule)];
    });
    return cleanUp;
  });

  test("is in the table that says who may call it and whether it asks for a passkey", () => {
    expect([...documented].sort()).toEqual(Object.keys(ADMIN_ROUTES).sort());
  });

  test("refuses somebody who is not signed in, also with the cookie of a session that never was", async () => {
    const stranger = { ...browser(server).own, cookie: `__Host-gatehouse=${"A".repeat(43)}` };
    const wrong: unknown[] = [];
    for (const route of routes) {
      for (const headers of [{}, stranger]) {
        const { status } = await call(route, headers as Record<string, string>);
        if (status !== 401) wrong.push([route.name, status]);
      }
    }
    expect(wrong).toEqual([]);
  });

  /** What somebody with a role at `mine` is answered who must not call a route. */
  function refusalFor({ path, needs }: Route, role: Role): number | undefined {
    if (path.includes("/installation/")) return 404;
    return needs !== undefined && !isAtLeast(role, needs) ? 403 : undefined;
  }

  test.each(["auditor", "reviewer"] as const)(
    "refuses a person and a token with the role %s what it is not for",
    async (role) => {
      const { token } = await tokenOf(role, sites.mine);
      const wrong: unknown[] = [];
      for (const headers of [asPerson(people[role] as Page), asToken(token)]) {
        for (const route of routes) {
          const expected = refusalFor(route, role);
          // Changes that the role may make belong to other tests.
          if (expected === undefined && route.method !== "GET") continue;
          const { status, asked, refusal } = await call(route, headers);
          const right = expected === undefined ? ![401, 403].includes(status) : status === expected;
          if (!right || asked) wrong.push([route.name, expected, status, refusal]);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test("does not let the owner of another site near this one", async () => {
    const { token } = await tokenOf("owner", sites.theirs);
    const wrong: unknown[] = [];
    for (const headers of [asPerson(people.elsewhere as Page), asToken(token)]) {
      for (const route of routes.filter(({ needs }) => needs !== undefined)) {
        const { status, asked, refusal } = await call(route, headers);
        const hidden = /\{site_key_hash\}|\/installation\//.test(route.path);
        const right = hidden ? status === 404 : [403, 404].includes(status);
        if (!right || asked) wrong.push([route.name, status, refusal]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("asks an operator without a recent passkey as the table says, and never a program", async () => {
    const { body } = await server.admin("POST", "/v1/admin/tokens", {
      name: "Program",
      role: "operator",
    });
    const person = asPerson(people.operator as Page);
    const wrong: unknown[] = [];
    // Last what ends what others need: the site after everything in it.
    const order = ({ method, path }: Route) => (method === "DELETE" ? 1000 : 0) - path.length;
    const ordered = routes.toSorted((one, other) => order(one) - order(other));
    for (const route of ordered) {
      const { status, asked } = await call(route, person);
      if (asked !== route.asks) wrong.push([route.name, "person", status]);
    }
    for (const route of ordered) {
      const { status, asked } = await call(route, asToken(body.token), sites.theirs);
      if (asked || status === 401 || status === 403) wrong.push([route.name, "program", status]);
    }
    expect(wrong).toEqual([]);
  });
});

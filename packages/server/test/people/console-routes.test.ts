import { beforeAll, describe, expect, test } from "vitest";
import { consoleRoutes } from "../../src/http/console/routes.ts";
import { browser, SESSION } from "../console-browser.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
} from "../harness.ts";
import { invite, joined, optionsFor, type Page, secretOf, withPasskey } from "./joining.ts";
import { type Schema, sampleOf } from "./sample.ts";

/** Who may call a route: anybody at a page of the console, or a person who is signed in. */
type Caller = "anybody" | "person";

/** Every route of the console. Browsers navigate to the last two; all others take requests of its pages only. */
const CONSOLE_ROUTES: Readonly<Record<string, Caller | "navigation">> = {
  "get /v1/console/session": "anybody",
  "post /v1/console/session": "anybody",
  "delete /v1/console/session": "anybody",
  "post /v1/console/set-up": "anybody",
  "get /v1/console/sign-in-ways": "anybody",
  "post /v1/console/sign-in-links": "anybody",
  "post /v1/console/passkey-options": "anybody",
  "get /v1/console/person": "person",
  "patch /v1/console/person": "person",
  "delete /v1/console/sessions/{session_id}": "person",
  "post /v1/console/confirmation": "person",
  "post /v1/console/passkeys": "person",
  "delete /v1/console/passkeys/{passkey_id}": "person",
  "get /v1/console/oidc": "navigation",
  "get /v1/console/oidc/callback": "navigation",
};

const KEY = { id: "AA", rawId: "AA", type: "public-key" };
const CLIENT = { clientDataJSON: "AA" };
/** What a call sends, where the schema alone does not give a valid example. */
const BODIES: Readonly<Record<string, object>> = {
  "post /v1/console/confirmation": {
    passkey: { ...KEY, response: { ...CLIENT, authenticatorData: "AA", signature: "AA" } },
  },
  "post /v1/console/passkeys": {
    name: "Key",
    passkey: { ...KEY, response: { ...CLIENT, attestationObject: "AA" } },
  },
};

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

describe("every route of the console's own API", () => {
  let server: TestServer;
  let site = "";
  let bodies: Readonly<Record<string, object | undefined>>;
  const people: Record<"ada" | "eve", { page: Page; id: string }> = {} as never;

  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    site = (await createSite(server, "mine.example.com")).site_key_hash as string;
    people.ada = await joined(server, site, "owner", "Ada");
    people.eve = await joined(server, site, "owner", "Eve");
    await withPasskey(server, people.eve.page);
    const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
    const described = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]): [string, object | undefined] => {
        const schema = requestBody?.content["application/json"]?.schema;
        return [`${method} ${path}`, schema && (sampleOf(schema) as object)];
      }),
    );
    bodies = { ...Object.fromEntries(described), ...BODIES };
    return cleanUp;
  });

  const routes = () =>
    Object.entries(CONSOLE_ROUTES)
      .filter(([, caller]) => caller !== "navigation")
      .map(([name, caller]) => {
        const [method = "", path = ""] = name.split(" ");
        return {
          name,
          method: method.toUpperCase(),
          path: path.replace(/\{\w+\}/, "none"),
          caller,
        };
      });

  async function call(name: string, headers: Record<string, string>) {
    const [method = "", path = ""] = name.split(" ");
    const body = bodies[name];
    const response = await fetch(server.url + path.replace(/\{\w+\}/, "none"), {
      method: method.toUpperCase(),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { ...(await answerOf(response)), set: response.headers.get("set-cookie") };
  }

  const wrongOf = async (
    chosen: readonly { name: string }[],
    headers: Record<string, string>,
    expected: number,
  ) => {
    const wrong: unknown[] = [];
    for (const { name } of chosen) {
      const { status, set } = await call(name, headers);
      if (status !== expected || set !== null) wrong.push([name, status, set]);
    }
    return wrong;
  };

  test("is in the table that says who may call it", () => {
    const served = consoleRoutes(server.context)
      .routes.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/, "{$1}")}`);
    expect([...new Set(served)].sort()).toEqual(Object.keys(CONSOLE_ROUTES).sort());
  });

  test.each([
    ["without the console's header", { "x-gatehouse-console": "" }],
    ["of another origin", { origin: "https://evil.example" }],
    ["that another site causes", { "sec-fetch-site": "cross-site" }],
  ])("refuses a request %s, whoever is signed in", async (_, changed) => {
    const { page } = people.ada;
    const headers = { ...page.own, cookie: page.cookie ?? "", ...changed };
    expect(await wrongOf(routes(), headers as Record<string, string>, 403)).toEqual([]);
    expect((await page.ask("GET", SESSION)).status).toBe(200);
  });

  test("is for people where it says so: not for strangers, and not for tokens", async () => {
    const chosen = routes().filter(({ caller }) => caller === "person");
    const stranger = browser(server);
    const made = `__Host-gatehouse=${"A".repeat(43)}`;
    expect(await wrongOf(chosen, { ...stranger.own, cookie: made }, 401)).toEqual([]);
    await stranger.signIn({ token: OPERATOR_TOKEN });
    const signedIn = { ...stranger.own, cookie: stranger.cookie ?? "" };
    expect(await wrongOf(chosen, signedIn, 403)).toEqual([]);
    // Without a cookie, a token in a header is nobody's session.
    const bearer = { ...stranger.own, authorization: `Bearer ${OPERATOR_TOKEN}` };
    expect(await wrongOf(chosen, bearer, 401)).toEqual([]);
  });

  test("changes nothing when a link is opened: GET and HEAD neither sign in nor out", async () => {
    const { page } = people.ada;
    const person = await invite(server, site, "reviewer");
    const secret = secretOf(person.link.url);
    const headers = { ...page.own, cookie: page.cookie ?? "" };
    const paths = [...new Set(routes().map(({ path }) => path)), "/console"];
    for (const path of paths) {
      for (const method of ["GET", "HEAD"]) {
        const url = `${server.url}${path}?link=${secret}&code=${secret}&token=${OPERATOR_TOKEN}`;
        const response = await fetch(url, { method, headers });
        expect([path, response.headers.get("set-cookie")]).toEqual([path, null]);
      }
    }
    expect((await page.ask("GET", SESSION)).body.token_id).toBe(people.ada.id);
    expect((await browser(server).signIn({ link: secret })).status).toBe(201);
  });

  test("works on the person's own account only: not on the sessions and passkeys of a colleague", async () => {
    const { ada, eve } = people;
    const passkey = await withPasskey(server, ada.page);
    const { session_id } = (await ada.page.ask("GET", SESSION)).body;
    const ended = await eve.page.ask("DELETE", `/v1/console/sessions/${session_id}`);
    const removed = await eve.page.ask("DELETE", `/v1/console/passkeys/${passkey.id}`);
    expect([ended.status, removed.status]).toEqual([404, 404]);
    // A passkey confirms only its own person.
    const answer = passkey.get(await optionsFor(eve.page, "confirm"));
    const confirmed = await eve.page.ask("POST", "/v1/console/confirmation", { passkey: answer });
    expect(confirmed.status).toBe(403);
    const { body } = await ada.page.ask("GET", "/v1/console/person");
    expect([body.sessions.length, body.passkeys.length]).toEqual([1, 1]);
  });

  test("ends a session that somebody planted in the browser, for an invitation and a passkey too", async () => {
    const victim = await joined(server, site, "reviewer", "Vera");
    const passkey = await withPasskey(server, victim.page);
    const link = secretOf((await invite(server, site, "reviewer")).link.url);
    const ways = [
      () => ({ link }),
      async (page: Page) => ({ passkey: passkey.get(await optionsFor(page, "sign_in")) }),
    ];
    for (const way of ways) {
      const attacker = await joined(server, site, "reviewer", "Mallory");
      const page = browser(server);
      page.cookie = attacker.page.cookie;
      expect((await page.signIn(await way(page))).status).toBe(201);
      expect(page.cookie).not.toBe(attacker.page.cookie);
      expect((await attacker.page.ask("GET", SESSION)).status).toBe(401);
    }
  });
});

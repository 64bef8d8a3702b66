import { get } from "node:http";
import { expect, inject, test } from "vitest";
import { ask, askAsOperator } from "./asking.ts";

const { url, plaintextUrl } = inject("target");
/** A development target allows plain HTTP; only a production one can show that it does not. */
const plaintext = url.startsWith("https:") ? url.replace("https:", "http:") : plaintextUrl;

interface Plain {
  readonly status: number | undefined;
  readonly text: string;
}

function plainGet(path: string): Promise<Plain> {
  return new Promise((resolve) => {
    const request = get(`${plaintext}${path}`, { agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    // A port that does not even answer serves nothing over plaintext either.
    request.on("error", () => resolve({ status: undefined, text: "" }));
  });
}

test.skipIf(plaintext === undefined)(
  "[4.1.1-a 4.1.1-b] over plain HTTP the service answers only with a refusal",
  async () => {
    for (const path of ["/healthz", "/version", "/openapi.json", "/v1/admin/sites", "/unknown"]) {
      const { status, text } = await plainGet(path);
      if (status === undefined) continue;
      expect([status, JSON.parse(text).error]).toEqual([403, "https_required"]);
    }
  },
);

const ROUTES = [
  ["/healthz", "GET, HEAD, OPTIONS"],
  ["/readyz", "GET, HEAD, OPTIONS"],
  ["/version", "GET, HEAD, OPTIONS"],
  ["/metrics", "GET, HEAD, OPTIONS"],
  ["/openapi.json", "GET, HEAD, OPTIONS"],
  ["/.well-known/jwks.json", "GET, HEAD, OPTIONS"],
  ["/v1/admin/sites", "GET, HEAD, OPTIONS, POST"],
  [`/v1/admin/sites/${"A".repeat(43)}`, "DELETE, GET, HEAD, OPTIONS, PATCH"],
  [`/v1/admin/sites/${"A".repeat(43)}/verify`, "OPTIONS, POST"],
  [`/v1/admin/sites/${"A".repeat(43)}/tokens`, "GET, HEAD, OPTIONS, POST"],
  ["/v1/admin/tokens", "GET, HEAD, OPTIONS, POST"],
  ["/v1/admin/keys", "GET, HEAD, OPTIONS"],
] as const;

test("[4.1.2-a] every route, known or not, answers an OPTIONS preflight", async () => {
  for (const [path, allow] of [...ROUTES, ["/no/such/route", "OPTIONS"] as const]) {
    const { status, headers } = await ask("OPTIONS", path, {
      headers: { origin: "https://agent.example", "access-control-request-method": "GET" },
    });
    expect([path, status, headers.get("allow")]).toEqual([path, 204, allow]);
  }
});

test("[4.1.5-a 4.1.5-b 7-a] a wrong method answers 405, and Allow lists the methods", async () => {
  for (const [path, allow] of ROUTES) {
    const { status, headers, body } = await ask("PUT", path);
    expect([path, status, headers.get("allow")]).toEqual([path, 405, allow]);
    expect(body.error).toBe("method_not_allowed");
  }
});

test("[4.1.4-c] error responses are never cached", async () => {
  const errors = [
    await ask("GET", "/no/such/route"),
    await ask("PUT", "/healthz"),
    await ask("GET", "/v1/admin/sites"),
    await askAsOperator("POST", "/v1/admin/sites", { nonsense: true }),
    await askAsOperator("GET", `/v1/admin/sites/${"A".repeat(43)}`),
  ];
  expect(errors.map(({ status }) => status)).toEqual([404, 405, 401, 400, 404]);
  for (const { headers } of errors) expect(headers.get("cache-control")).toBe("no-store");
});

test("[4.1.13-a] the health check answers at /healthz", async () => {
  expect(await ask("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
});

test("[9-a] every documented path of the API is versioned with /v1/", async () => {
  const { body } = await ask("GET", "/openapi.json");
  const paths = Object.keys(body.paths);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) expect(path).toMatch(/^\/(?:v1|\.well-known)\//);
});

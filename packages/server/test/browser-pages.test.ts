import { readFileSync } from "node:fs";
import { MARK_PATH } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "./harness.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PROGRAMS = [
  "*/*",
  "application/json",
  "application/json, text/html",
  "text/html;q=0.5, application/json",
];

describe("a person with a browser", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    return cleanUp;
  });
  const look = async (path: string, accept = BROWSER, method = "GET") => {
    const init = { method, headers: { accept }, redirect: "manual" } as const;
    const response = await fetch(server.url + path, init);
    return { response, text: await response.text() };
  };

  test("finds at the root what this service is, with links to the console and the documentation", async () => {
    const { response, text } = await look("/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script/i);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href as string);
    expect(links).toEqual(["/console", "/docs", "/openapi.json"]);
    for (const href of links) expect((await look(href)).response.status).toBeLessThan(400);
  });

  test("is led to the console from its address with a slash at the end", async () => {
    const { response } = await look("/console/");
    expect([response.status, response.headers.get("location")]).toEqual([308, "/console"]);
  });

  test("sees the same mark on every page, and in the tab of the console", async () => {
    const site = await createSite(server, "shop.example.com");
    await server.context.db.run("UPDATE sites SET status = 'verified', verified_at = 1");
    for (const path of ["/", "/docs/README.md", `/v1/agent/${site.site_key_hash}`, "/qq-lost"]) {
      expect([path, (await look(path)).text.includes(`d="${MARK_PATH}"`)]).toEqual([path, true]);
    }
    const icon = new URL("../../console/src/icon.svg", import.meta.url);
    expect(readFileSync(icon, "utf8")).toContain(`d="${MARK_PATH}"`);
  });

  test.each([
    "/qq-lost",
    "/docs/qq-lost.md",
    "/docs/qq-lost",
    "/docs/guide/owner/",
    "/%3Cscript%3E",
    "/a/../b",
  ])("gets an error page at %s that repeats nothing of the address", async (path) => {
    const { response, text } = await look(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    expect(text).toContain("Page not found");
    expect(text).not.toMatch(/<script|qq-lost/);
    const head = await look(path, BROWSER, "HEAD");
    expect([head.response.status, head.text]).toEqual([404, ""]);
  });

  test("is redirected from a page's name to the page", async () => {
    const { response } = await look("/docs/guide/owner");
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "/docs/guide/owner.md",
    ]);
  });

  test.each(PROGRAMS)(
    "is distinguished from a program that accepts %s, which gets the standard error",
    async (accept) => {
      for (const path of ["/", "/nowhere", "/docs/none.md"]) {
        const answer = await answerOf(await fetch(server.url + path, { headers: { accept } }));
        expect([path, answer.status, answer.body.error]).toEqual([path, 404, "not_found"]);
        expect(Object.keys(answer.body)).toEqual(["error", "message", "docs_url", "request_id"]);
      }
    },
  );

  test.each(["/v1/nowhere", "/v1", `/v1/agent-card/us_${"A".repeat(43)}.json`])(
    "gets the same as programs at %s, which is for programs",
    async (path) => {
      const answer = await answerOf(
        await fetch(server.url + path, { headers: { accept: BROWSER } }),
      );
      expect([answer.status, answer.body.error]).toEqual([404, "not_found"]);
    },
  );
});

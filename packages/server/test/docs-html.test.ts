import { readdirSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { DOCS_FOLDER } from "../src/infra/assets.ts";
import { cleanUp, freshEnvironment, startServer } from "./harness.ts";
import { htmlFaults } from "./valid-html.ts";

afterAll(cleanUp);

test("the home page, the console and the pages for what is not there are valid HTML", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const pages = { "/": 200, "/console": 200, "/nowhere": 404, "/docs/nowhere.md": 404 };
  for (const [path, status] of Object.entries(pages)) {
    const answer = await fetch(`${server.url}${path}`, { headers: { accept: "text/html" } });
    const html = await answer.text();
    expect([path, answer.status, html.slice(0, 15)]).toEqual([path, status, "<!doctype html>"]);
    expect(await htmlFaults(html, path)).toEqual([]);
  }
});

test("every page of the documentation is valid HTML", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const names = readdirSync(DOCS_FOLDER, { recursive: true, encoding: "utf8" });
  const pages = names.filter((name) => name.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(80);
  for (const name of pages) {
    const answer = await fetch(`${server.url}/docs/${name}`, { headers: { accept: "text/html" } });
    expect(await htmlFaults(await answer.text(), name)).toEqual([]);
  }
}, 60_000);

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

/** The hint of a mandate that is refused with such a page. */
async function hintFor(docs_url: unknown): Promise<string | undefined> {
  const site = createServer((_request, response) => {
    response.writeHead(403).end(JSON.stringify({ outcome: "rejected", docs_url }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void site.close());
  await once(site, "listening");
  const audience = `http://127.0.0.1:${(site.address() as AddressInfo).port}/mandate`;
  const file = join(temporaryFolder(), "mandate.json");
  writeFileSync(file, JSON.stringify({ signed: { mandate_id: "m1", audience } }));
  const { err } = await command(["mandate", "send", "--file", file], {});
  return err.split("\n")[1];
}

const PAGE = "https://gate.example.com/docs/errors/";

test.each([
  ["a page", `${PAGE}policy-denied.md`],
  ["a page as long as one can be", PAGE + "a".repeat(300 - PAGE.length)],
])("%s that explains a refusal is named", async (_what, page) => {
  expect(await hintFor(page)).toBe(`See ${page}`);
});

test.each([
  ["that looks like another's", "https://gate.example.com@evil.example/docs"],
  ["that holds a password", "https://:secret@evil.example/docs"],
  ["that nobody reads to its end", PAGE + "a".repeat(301 - PAGE.length)],
  ["that is longer than it looks", PAGE + "ü".repeat(100)],
  ["of another kind", "javascript:alert(1)"],
  ["that is no text", 7],
])("an address %s is not", async (_what, page) => {
  expect(await hintFor(page)).toBe("Ask the owner of the site.");
});

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
  ["a page with the longest allowed address", PAGE + "a".repeat(300 - PAGE.length)],
])("%s that explains a rejection is printed", async (_what, page) => {
  expect(await hintFor(page)).toBe(`See ${page}`);
});

test.each([
  ["that imitates another host", "https://gate.example.com@evil.example/docs"],
  ["with a password", "https://:secret@evil.example/docs"],
  ["that is too long", PAGE + "a".repeat(301 - PAGE.length)],
  ["that is too long once it is encoded", PAGE + "ü".repeat(100)],
  ["with another scheme", "javascript:alert(1)"],
  ["that is not a string", 7],
])("an address %s is not printed as the page that explains a rejection", async (_what, page) => {
  expect(await hintFor(page)).toBe("Ask the owner of the site.");
});

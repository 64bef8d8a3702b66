/** Tools that are fetched to judge what the service publishes. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { afdocs, FETCH_MS_MAX, lighthouseArd } from "./fetched.ts";
import { HOSTILE_SITE, HOSTILE_SKILLS } from "./hostile-site.ts";
import { threeSites, type VerifiedSite, verifiedSite } from "./site.ts";

test("the validator inside Lighthouse finds no error in the strict catalog", {
  timeout: FETCH_MS_MAX,
}, async ({ skip, task }) => {
  const ConformanceTester = await lighthouseArd();
  if (ConformanceTester === undefined) return skip("Lighthouse could not be fetched");
  const sites = await threeSites();
  onTestFinished(async () => {
    await Promise.all(sites.map((site) => site.done()));
  });
  for (const { paths } of sites) {
    const response = await fetch(inject("target").url + paths.ard);
    const tester = new ConformanceTester();
    tester.validate_manifest(await response.text(), "ard.json");
    expect(tester.errors).toEqual([]);
    // ARD has registered no media type for these two, and says so of any other.
    expect(tester.warnings.map(({ message }) => message.split(" is not one of ")[0])).toEqual([
      "Media type 'text/markdown'",
      "Media type 'application/json'",
    ]);
  }
  Object.assign(task.meta, { outside: sites.length });
});

/** The owner's website: llms.txt and the agent page are the service's, the skills' pages its own. */
async function serveWebsite(hostile: VerifiedSite): Promise<{ server: Server; origin: string }> {
  const published = new Map([
    ["/llms.txt", hostile.paths.llms],
    ["/agent", hostile.paths.agentPage],
  ]);
  const server = createServer(async (request, response) => {
    const path = published.get(request.url ?? "");
    if (path === undefined) {
      const found = request.url?.startsWith("/skills/") === true;
      response.writeHead(found ? 200 : 404, { "content-type": "text/html" });
      return response.end("<!doctype html><title>A page</title><h1>A page</h1><p>Words.</p>");
    }
    const { accept = "*/*" } = request.headers;
    const answer = await fetch(inject("target").url + path, { headers: { accept } });
    for (const name of ["content-type", "cache-control", "etag", "vary", "link"]) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    // Its domain is not in the DNS; this server is where it would lead.
    const text = await answer.text();
    response.end(text.replaceAll(`https://${hostile.domain}`, origin));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin };
}

const LLMS_CHECKS = [
  "llms-txt-exists",
  "llms-txt-valid",
  "llms-txt-size",
  "llms-txt-links-resolve",
];

const PAGE_CHECKS = [
  "content-negotiation",
  "rendering-strategy",
  "page-size-markdown",
  "page-size-html",
  "page-size-transfer",
  "content-start-position",
  "single-fetch-completeness",
  "markdown-code-fence-validity",
  "markdown-link-portability",
  "embedded-data-serialization",
  "http-status-codes",
  "redirect-behavior",
  "cache-header-hygiene",
  "auth-gate-detection",
];

describe("afdocs", () => {
  let results: Awaited<ReturnType<typeof afdocs>>;
  beforeAll(async () => {
    const hostile = await verifiedSite(HOSTILE_SITE, HOSTILE_SKILLS);
    const { server, origin } = await serveWebsite(hostile);
    results = await afdocs(origin, [...LLMS_CHECKS, ...PAGE_CHECKS], [`${origin}/agent`]);
    server.closeAllConnections();
    server.close();
    return hostile.done;
  }, FETCH_MS_MAX);

  const clean = (checks: readonly string[]) => checks.map((id) => ({ id, status: "pass" }));
  const resultsOf = (checks: readonly string[]) => results?.filter(({ id }) => checks.includes(id));

  test("finds llms.txt valid, and all its links working", ({ skip, task }) => {
    if (results === undefined) return skip("afdocs could not be fetched");
    const found = resultsOf(LLMS_CHECKS);
    expect(found?.at(-1)?.details).toMatchObject({
      sameOrigin: { total: HOSTILE_SKILLS.length },
      broken: [],
    });
    expect(found).toMatchObject(clean(LLMS_CHECKS));
    Object.assign(task.meta, { outside: LLMS_CHECKS.length });
  });

  test("finds the agent page suitable for agents, as HTML and as Markdown", ({ skip, task }) => {
    if (results === undefined) return skip("afdocs could not be fetched");
    expect(resultsOf(PAGE_CHECKS)).toMatchObject(clean(PAGE_CHECKS));
    Object.assign(task.meta, { outside: PAGE_CHECKS.length });
  });
});

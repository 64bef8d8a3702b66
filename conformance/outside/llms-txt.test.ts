import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { afdocs, FETCH_MS_MAX } from "./fetched.ts";
import { type SkillOfSite, type VerifiedSite, verifiedSite } from "./site.ts";

/** Titles that mean something in Markdown, in HTML, or to a reader that looks for patterns. */
const TITLES = [
  "a](b",
  "](https://evil.example) [x",
  "![x](https://evil.example/x.png)",
  "[x]: https://evil.example",
  "# x",
  "## Optional",
  "two\nlines\r\n\n## Forged\n\n- [x](https://evil.example)",
  "line\u2028separators\u2029and\u0085more",
  "- x",
  "* x",
  "> x",
  "1. x",
  "--- ===",
  "x ##",
  "*a* _b_ c_d `e` ~~f~~",
  "<script>alert(1)</script> <!-- x",
  "&#93; &amp; &lt;",
  "back\\slash \\]",
  "\"double\" and 'single' “quotes”",
  "family 👩‍👩‍👧 and tulip 🌷",
  "\u200fשלום\u200f \u202eesrever\u202c",
  "(parens) [brackets] {braces}",
];

const skills: readonly SkillOfSite[] = TITLES.map((title, place) => ({
  id: `skill_${place}`,
  path: `/skills/${place}?x=(a)[b]`,
  title,
  description: `${title} : ${title}`,
}));

let hostile: VerifiedSite;
beforeAll(async () => {
  hostile = await verifiedSite({ name: "# a](b > c", description: "> [x](y) #\n## z" }, skills);
});
afterAll(() => hostile.done());

interface Link {
  readonly title: string;
  readonly url: string;
  readonly note: string;
}

/**
 * A reader as simple as the reference parser of llms.txt: it knows headings by the start of a line,
 * takes a summary only when more text follows, and of a section's lines nothing but links.
 */
function readLlmsTxt(text: string) {
  const [head = "", ...parts] = text.split(/^##\s*(.*)$/m);
  const { title, summary } = /^#\s*(?<title>.+)\n+>\s*(?<summary>.+)\n+\S/.exec(head)?.groups ?? {};
  const sections = new Map<string, Link[]>();
  for (let at = 0; at < parts.length; at += 2) {
    const lines = (parts[at + 1] as string).split("\n").filter((line) => line.trim() !== "");
    const links = lines.map((line) => {
      const link = /^-\s*\[(?<title>[^\]]+)\]\((?<url>[^)]+)\)(?::\s*(?<note>.*))?$/.exec(line);
      if (link === null) throw new Error(`no link: ${line}`);
      return link.groups as unknown as Link;
    });
    sections.set(parts[at] as string, links);
  }
  return { title, summary, sections };
}

/** What a person sees where a character is written by its number. */
function shown(text = ""): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

describe("a pattern-based reader", () => {
  test("finds exactly the existing sections, whatever the owner writes", async () => {
    const { sections } = readLlmsTxt(await hostile.read("llms"));
    expect([...sections.keys()]).toEqual(["Skills", "Agent interfaces"]);
    expect(sections.get("Skills")).toHaveLength(TITLES.length);
  });

  test("reads every skill as it is on the card", async () => {
    const { sections } = readLlmsTxt(await hostile.read("llms"));
    const card = await hostile.read("card");
    const read = sections.get("Skills")?.map(({ title, url, note }) => ({
      name: shown(title),
      description: shown(note),
      url: url.replaceAll("%28", "(").replaceAll("%29", ")"),
    }));
    expect(read).toEqual(
      card.skills.map(({ name, description, url }: Record<string, string>) => {
        return { name, description, url };
      }),
    );
  });

  test("reads the name and the summary as they are on the card", async () => {
    const { title, summary } = readLlmsTxt(await hostile.read("llms"));
    const { name, description } = await hostile.read("card");
    expect([shown(title), shown(summary)]).toEqual([name, description]);
  });

  test("reads the file of a site that offers nothing yet", async () => {
    await hostile.setSkills([]);
    const { title, summary, sections } = readLlmsTxt(await hostile.read("llms"));
    await hostile.setSkills(skills);
    expect([title, summary].every(Boolean)).toBe(true);
    expect([...sections.keys()]).toEqual(["Agent interfaces"]);
  });
});

/** The owner's website: llms.txt and the agent page are the service's, the skills' pages its own. */
async function serveWebsite(): Promise<{ server: Server; origin: string }> {
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
    const { server, origin } = await serveWebsite();
    results = await afdocs(origin, [...LLMS_CHECKS, ...PAGE_CHECKS], [`${origin}/agent`]);
    server.closeAllConnections();
    server.close();
  }, FETCH_MS_MAX);

  const clean = (checks: readonly string[]) => checks.map((id) => ({ id, status: "pass" }));
  const resultsOf = (checks: readonly string[]) => results?.filter(({ id }) => checks.includes(id));

  test("finds llms.txt valid, and all its links working", ({ skip, task }) => {
    if (results === undefined) return skip("afdocs could not be fetched");
    const found = resultsOf(LLMS_CHECKS);
    expect(found?.at(-1)?.details).toMatchObject({
      sameOrigin: { total: TITLES.length },
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

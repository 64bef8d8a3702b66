import fc from "fast-check";
import { parse } from "parse5";
import { beforeAll, expect, test } from "vitest";
import { markdownUrl } from "../../../protocol/src/discovery/text.ts";
import { cleanUp, freshEnvironment, startServer } from "../harness.ts";
import { publishedSite } from "./published.ts";

/** `npm run test:long` tries more. */
const RUNS = Number(process.env.SURFACE_RUNS ?? 40);

interface Seen {
  readonly id?: string;
  readonly title: string;
  readonly description: string;
  readonly url?: string;
}

let server: Awaited<ReturnType<typeof startServer>>;
let shop: Awaited<ReturnType<typeof publishedSite>>;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = await publishedSite(server);
  return cleanUp;
});

const decoded = (text: string) =>
  text.replace(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));

const SKILL_LINE = /^- \[([^\]]+)\]\(([^)]+)\)(?: \(`(\w+)`\))?: (.+?)(?: \(MCP tool `(\w+)`\))?$/;

/** Reads the list below a heading as any reader of llms.txt does. */
function inMarkdown(text: string, heading: string): Seen[] {
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] as string).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const match = SKILL_LINE.exec(line);
    if (match === null) return [];
    const [, title = "", url = "", inCode, description = "", tool] = match;
    const words = { title: decoded(title), description: decoded(description), url };
    return [{ id: inCode ?? tool ?? "", ...words }];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a parsed page is a tree of many kinds of nodes
type Node = any;
const textOf = (node: Node): string =>
  node.nodeName === "#text" ? node.value : (node.childNodes ?? []).map(textOf).join("");

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.childNodes ?? []) yield* nodesOf(child);
}

/** Reads the skills off the page as a browser sees them. */
function inHtml(html: string): Seen[] {
  const items = [...nodesOf(parse(html))].filter(
    (node) =>
      node.nodeName === "li" &&
      node.parentNode.attrs.some(({ value }: { value: string }) => value === "skills"),
  );
  return items.map((item) => {
    const [title = "", description = "", id = ""] = item.childNodes
      .filter((child: Node) => child.nodeName !== "#text")
      .map(textOf);
    const link = [...nodesOf(item)].find((node) => node.nodeName === "a");
    const url = link.attrs.find(({ name }: { name: string }) => name === "href").value;
    return { id, title, description, url };
  });
}

async function onAllSurfaces() {
  const { body: card } = await shop.get("card");
  const { body: catalog } = await shop.get("catalog");
  const llms = (await shop.get("llms")).body;
  const page = (await shop.get("page")).body;
  const markdown = (await shop.get("page", { headers: { accept: "text/markdown" } })).body;
  const preview = await server.admin("POST", `${shop.admin}/preview`, {});
  const previewed = (name: string) =>
    preview.body.documents.find((document: { name: string }) => document.name === name).text;
  const { tools } = JSON.parse(previewed("mcp-tools"));
  const [entry] = catalog.entries;
  type Listed = { id: string; name: string; description: string; url?: string };
  const listed = (skills: readonly Listed[]): Seen[] =>
    skills.map(({ name, id, description, url }) => ({
      id,
      title: name,
      description,
      ...(url === undefined ? {} : { url }),
    }));
  type Tool = { name: string; title: string; description: string };
  return {
    card: listed(card.skills),
    a2a: listed((await shop.get("a2a")).body.skills),
    catalog: listed(entry.extensions?.["dev.gatehouse.skills"] ?? []),
    capabilities: (entry.capabilities ?? []) as string[],
    mcp: tools
      .map(({ name, ...words }: Tool) => ({ ...words, id: name }))
      .map(({ id, title, description }: Tool & { id: string }) => ({
        id,
        title,
        description,
      })) as Seen[],
    llms: inMarkdown(llms, "Skills"),
    page: inHtml(page),
    markdown: inMarkdown(markdown, "What agents can do here"),
  };
}

const words = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength }),
      fc.constantFrom(
        "</script>",
        "a](b) [c",
        "# x",
        "> y",
        '"quoted" & <b>',
        "rtl \u200fשלום",
        "🌷\u200d🌱",
        "line\nbreak",
        "&#91;",
        "back\\slash",
        "*star* _under_ `tick`",
        "1. one",
        "|-|",
        "~~~",
      ),
    )
    .filter((text) => /[^\p{C}\p{Z}]/u.test(text) && text.length <= maxLength);

const skill = fc.record(
  {
    id: fc.oneof(
      fc.constantFrom("get_pricing", "sign_up", "get_status", "contact_support", "constructor"),
      fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/),
    ),
    enabled: fc.boolean(),
    url: fc.webUrl({ validSchemes: ["https"], withQueryParameters: true }),
    title: words(40),
    description: words(100),
  },
  { requiredKeys: ["id", "enabled"] },
);

const site = fc.record({
  name: words(60),
  description: words(120),
  skills: fc.uniqueArray(skill, { selector: ({ id }) => id, maxLength: 12 }),
});

test(`every surface shows the same skills, titles and descriptions, for ${RUNS} random sites`, {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(site, async ({ skills, ...profile }) => {
      const changed = await server.admin("PATCH", shop.admin, profile);
      expect([changed.status, changed.body.message]).toEqual([200, undefined]);
      const set = await server.admin("PUT", `${shop.admin}/skills`, { skills });
      expect([set.status, set.body.message]).toEqual([200, undefined]);
      const seen = await onAllSurfaces();
      expect(seen.card.map(({ id }) => id)).toEqual(
        skills.filter(({ enabled, url }) => enabled && url !== undefined).map(({ id }) => id),
      );
      const words = seen.card.map(({ url: _url, ...rest }) => rest);
      const inLinks = seen.card.map((one) => ({ ...one, url: markdownUrl(one.url ?? "") }));
      expect(seen).toEqual({
        card: seen.card,
        catalog: seen.card,
        page: seen.card,
        a2a: words,
        mcp: words,
        markdown: inLinks,
        llms: inLinks,
        capabilities: seen.card.map(({ id }) => id),
      });
    }),
    { numRuns: RUNS, seed: 20301 },
  );
});

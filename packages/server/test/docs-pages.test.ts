import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DESIGN_TOKENS } from "@gatehouse/protocol";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../test/chromium.ts";
import { root } from "../../../test/source.ts";
import { DocsPages } from "../src/http/docs/pages.ts";
import { STYLE } from "../src/http/docs/style.ts";
import { DOCS_FOLDER } from "../src/infra/assets.ts";
import {
  cleanUp,
  freshEnvironment,
  raw,
  startServer,
  type TestServer,
  temporaryFolder,
} from "./harness.ts";
import { htmlFaults } from "./valid-html.ts";

/** What a browser sends. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const PAGE = "/docs/guide/owner.md";
const TEXT = readFileSync(join(root, "docs/guide/owner.md"), "utf8");
/** Some hundred pages are rendered one after another. */
const LONG_MS = 60_000;

type Node = DefaultTreeAdapterMap["node"];
type Element = DefaultTreeAdapterMap["element"];

function* elementsOf(node: Node): Generator<Element> {
  if ("tagName" in node) yield node;
  if ("childNodes" in node) for (const child of node.childNodes) yield* elementsOf(child);
}

const attribute = ({ attrs }: Element, wanted: string) =>
  attrs.find(({ name }) => name === wanted)?.value;

/** What a page has that others can lead to, and where it leads itself. */
function readHtml(html: string) {
  const elements = [...elementsOf(parse(html))];
  const found = (name: string) =>
    elements.map((one) => attribute(one, name)).filter((value) => value !== undefined);
  return { ids: found("id"), hrefs: found("href"), tags: elements.map(({ tagName }) => tagName) };
}

let server: TestServer;
const at = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);
const asked = (path: string, accept: string, more: Record<string, string> = {}) =>
  at(path, { headers: { accept, ...more } });

beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  return cleanUp;
});

describe("a page of the documentation", () => {
  test.each([
    [BROWSER, "text/html"],
    ["text/html", "text/html"],
    ["text/html, text/plain", "text/html"],
    ["text/markdown;q=0.5, text/html", "text/html"],
    ["text/markdown", "text/markdown"],
    ["text/markdown, text/html, */*", "text/markdown"],
    ["text/html, text/markdown", "text/markdown"],
    ["text/plain", "text/plain"],
    ["text/plain, text/html;q=0.9", "text/plain"],
    ["*/*", "text/plain"],
    ["text/*", "text/plain"],
    ["text/html;q=0, */*", "text/plain"],
    ["text/html;q=none", "text/plain"],
    ["application/json", "text/plain"],
  ])("requested with %s is %s", async (accept, type) => {
    const answer = await asked(PAGE, accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(answer.headers.get("vary")).toBe("Accept");
    const body = await answer.text();
    if (type === "text/html") expect(body).toMatch(/^<!doctype html>/);
    else expect(body).toBe(TEXT);
  });

  test("has a link to its Markdown that works in a browser too", async () => {
    const { hrefs } = readHtml(await (await asked(PAGE, BROWSER)).text());
    expect(hrefs).toContain("?as=markdown");
    const answer = await asked(`${PAGE}?as=markdown`, BROWSER);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(TEXT);
  });

  test("is not sent again if it is unchanged, and its two formats are not mixed up", async () => {
    const forms = [BROWSER, "text/markdown", "*/*"];
    const tags = await Promise.all(
      forms.map(async (accept) => (await asked(PAGE, accept)).headers.get("etag") ?? ""),
    );
    expect(new Set(tags).size).toBe(forms.length);
    for (const [i, tag] of tags.entries()) {
      expect(tag).toMatch(/^"[\w-]{27}"$/);
      for (const [j, accept] of forms.entries()) {
        const again = await asked(PAGE, accept, { "if-none-match": tag });
        expect([i, j, again.status]).toEqual([i, j, i === j ? 304 : 200]);
        expect(again.headers.get("vary")).toBe("Accept");
        if (i === j) expect(await again.text()).toBe("");
      }
    }
  });

  test.each([BROWSER, "*/*"])("answers HEAD correctly for %s", async (accept) => {
    const whole = await asked(PAGE, accept);
    const head = await at(PAGE, { method: "HEAD", headers: { accept } });
    const bytes = (await whole.arrayBuffer()).byteLength;
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String(bytes));
    for (const name of ["content-type", "etag", "vary", "cache-control"]) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
  });

  test("runs nothing and loads only its own style", async () => {
    const answer = await asked(PAGE, BROWSER);
    const policy = (answer.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const style = await at("/docs/style.css");
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
    const tag = style.headers.get("etag") ?? "";
    const again = await at("/docs/style.css", { headers: { "if-none-match": tag } });
    expect(again.status).toBe(304);
  });

  test("has its heading as its title, and links to all other pages", async () => {
    const html = await (await asked(PAGE, BROWSER)).text();
    expect(html).toContain("<title>Owner&#39;s guide · Gatehouse</title>");
    const description = /<meta name="description" content="([^"]*)">/.exec(html)?.[1] ?? "";
    expect(description).toMatch(/^[^<>*`[\]]{40,160}$/);
    const nav = html.slice(html.indexOf("<nav"), html.indexOf("</nav>"));
    const listed = [
      ...readFileSync(join(root, "docs/README.md"), "utf8").matchAll(/^- \[(.*?)\]/gm),
    ];
    expect(readHtml(nav).hrefs).toHaveLength(listed.length);
    expect([...nav.matchAll(/href="([^"]*)" aria-current="page"/g)].map(([, to]) => to)).toEqual([
      PAGE,
    ]);
  });

  test.each(["/docs", "/docs/"])("is opened at %s as the first page", async (path) => {
    const answer = await asked(path, BROWSER);
    expect([answer.status, new URL(answer.url).pathname]).toEqual([200, "/docs/README.md"]);
    expect(await answer.text()).toContain("<title>Documentation · Gatehouse</title>");
  });
});

test.each([
  "/docs/../package.json",
  "/docs/guide/../../package.json",
  "/docs/./README.md",
  "/docs/..%2fpackage.json",
  "/docs/%2e%2e/README.md",
  "/docs/guide%2fowner.md",
  "/docs/..%5cREADME.md",
  "/docs//README.md",
  "/docs/README.md/",
  "/docs/README.md%00.md",
  "/docs/nowhere.md",
  "/docs/guide",
  "/docs/README/",
  "/docs/style.css.md",
  "/docs/readme.md",
  `/docs/${"a".repeat(3_000)}.md`,
  `/docs/${"a/".repeat(500)}.md`,
  "/docs/constructor.md",
])("%s is not a page", async (path) => {
  const lines = [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", `Accept: ${BROWSER}`];
  const answer = await raw(server.port, [...lines, "Connection: close", "", ""].join("\r\n"));
  expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 404 Not Found");
});

describe("the pages of this build", () => {
  const names = readdirSync(DOCS_FOLDER, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"));
  const own = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"));

  test("are those of the documentation and what it links to, and none of an older build", () => {
    expect(names).toEqual(expect.arrayContaining(own));
    const others = names.filter((name) => !own.includes(name));
    expect(others).toEqual(expect.arrayContaining(["CHANGELOG.md", "SECURITY.md"]));
    expect(others.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  test("are all in the list of pages, except single errors and decisions", () => {
    const index = readFileSync(join(root, "docs/README.md"), "utf8");
    const single = /^(?:errors|decisions)\/(?!README)|^README\.md$/;
    const listed = new Set([...index.matchAll(/^- .*?\]\((.*?)\)/gm)].map(([, to = ""]) => to));
    expect(own.filter((name) => !single.test(name) && !listed.has(name))).toEqual([]);
  });

  test(
    "render, and all their links and anchors work",
    async () => {
      const pages = new Map<string, ReturnType<typeof readHtml>>();
      for (const name of names) {
        const answer = await asked(`/docs/${name}`, BROWSER);
        const html = await answer.text();
        expect([name, answer.status]).toEqual([name, 200]);
        const page = readHtml(html);
        expect([name, page.tags.filter((tag) => tag === "h1")]).toEqual([name, ["h1"]]);
        expect([name, page.tags.includes("script")]).toEqual([name, false]);
        expect([name, new Set(page.ids).size]).toEqual([name, page.ids.length]);
        pages.set(`/docs/${name}`, page);
      }
      const broken: string[] = [];
      for (const [path, { hrefs }] of pages) {
        for (const href of hrefs) {
          const to = new URL(href, server.url + path);
          if (to.origin !== server.url || to.pathname === "/docs/style.css") continue;
          const anchor = decodeURIComponent(to.hash.slice(1));
          const there = pages.get(to.pathname);
          const found = there !== undefined && (anchor === "" || there.ids.includes(anchor));
          if (!found) broken.push(`${path} → ${href}`);
        }
      }
      expect(broken).toEqual([]);
    },
    LONG_MS,
  );

  test("link to pages outside the documentation where they are served", async () => {
    const guide = await (await asked("/docs/guide/ucp.md", BROWSER)).text();
    expect(readHtml(guide).hrefs).toContain("../examples/ucp-buyer/README.md");
    // A program is no page: its name is left.
    expect(guide).toContain("examples/ucp-buyer/webhooks.js is a complete receiver");
  });
});

describe("hostile Markdown", () => {
  async function rendered(text: string): Promise<string> {
    const folder = `${temporaryFolder()}/`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}README.md`, text);
    const page = await new DocsPages(folder).page("README.md", "text/html");
    return page?.bytes.toString("utf8") ?? "";
  }
  const inMain = (html: string) =>
    html.slice(html.indexOf("<main"), html.indexOf("</main>")).split("\n").slice(1).join("\n");

  test.each([
    "<script>alert(1)</script>",
    "words <b onclick=alert(1)>bold</b>",
    "<code><img src=x onerror=alert(1)\n\nmore",
    "<pre><img src=x onerror=alert(1)\n\n</pre>",
    "<div>\n\n*words*\n\n</div>",
    "<!-- <script>alert(1)</script> --> <script>alert(1)</script>",
    "<a href=javascript:alert(1)>link</a>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "# <img src=x onerror=alert(1)>",
    "- [<img src=x onerror=alert(1)>](README.md)",
    "```<img src=x>\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    '![" onerror="alert(1)](x.png)',
  ])("is shown as text: %j", async (text) => {
    const html = await rendered(`# Page\n\n${text}\n`);
    const { tags } = readHtml(inMain(html));
    const made = ["script", "img", "b", "div"].filter((tag) => tags.includes(tag));
    expect(made.filter((tag) => !(tag === "div" && text.startsWith("|")))).toEqual([]);
    const attributes = [...elementsOf(parse(html))].flatMap(({ attrs }) => attrs);
    expect(attributes.filter(({ name }) => name.startsWith("on"))).toEqual([]);
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java&#115;cript:alert(1)",
    "data:text/html,hello",
    "vbscript:x",
    "//elsewhere.example/x",
    "\\\\elsewhere.example",
  ])("is not made a link: %s", async (target) => {
    const html = inMain(await rendered(`# Page\n\n[words](${target}) [safe](#page)\n`));
    expect(readHtml(html).hrefs).toEqual(["#page"]);
    expect(html).toContain("words");
  });

  test("gets the same anchors as on GitHub, each once", async () => {
    const heads = ["What `--replay` proves, and", "Über [uns](#page)", "Same", "Same", "Same 1"];
    const html = inMain(await rendered(heads.map((head) => `## ${head}\n`).join("\n")));
    const slugs = ["what---replay-proves-and", "über-uns", "same", "same-1", "same-1-1"];
    expect(readHtml(html).ids).toEqual(slugs);
  });
});

describe("the search of the documentation", () => {
  const search = async (query: string) => {
    const answer = await asked(`/docs/search?q=${encodeURIComponent(query)}`, BROWSER);
    const html = await answer.text();
    expect([answer.status, await htmlFaults(html)]).toEqual([200, []]);
    return html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  };

  test.each([
    ["rotate keys", "/docs/operations/keys.md"],
    ["cart_mismatch", "/docs/errors/cart-mismatch.md"],
    ["ROTÄTE key", "/docs/operations/keys.md"],
    ["google webhook", "/docs/guide/sell.md#connect-google"],
  ])("finds %j, and leads to its section", async (query, href) => {
    const { hrefs } = readHtml(await search(query));
    expect(hrefs.some((found) => found.startsWith(href))).toBe(true);
  });

  test("leads to anchors that exist", async () => {
    const { hrefs } = readHtml(await search("review"));
    expect(hrefs.length).toBeGreaterThan(5);
    for (const href of hrefs) {
      const [path = "", anchor = ""] = href.split("#");
      expect(readHtml(await (await asked(path, BROWSER)).text()).ids).toContain(anchor);
    }
  });

  test("shows what was typed as text, and cuts it", async () => {
    const html = await search(`<script>alert(1)</script> ${"x".repeat(500)}`);
    expect(html).not.toContain("<script");
    expect(html.length).toBeLessThan(1000);
  });

  test("asks for words if there are none, and says if nothing was found", async () => {
    expect(await search("   ")).toContain("Enter one or more words.");
    expect(await search("qqqq")).toContain("No page has all of these words: qqqq.");
  });
});

test("pictures of the guides are shown and served, and no other file is", async () => {
  const pages = new DocsPages(DOCS_FOLDER);
  const guide = await pages.page("guide/owner.md", "text/html");
  expect(guide?.bytes.toString()).toContain('<img src="../pictures/rules.png" alt="Rules: ');
  expect((await pages.picture("pictures/rules.png"))?.type).toBe("image/png");
  for (const name of ["pictures/unknown.png", "pictures/../README.md", "../pictures/rules.png"]) {
    expect(await pages.picture(name)).toBeUndefined();
  }
});

test("pages take every colour from the design tokens", () => {
  const console = readFileSync(join(root, "packages/console/src/style.css"), "utf8");
  const own = STYLE.replace(DESIGN_TOKENS, "");
  expect(own).not.toBe(STYLE);
  for (const css of [console, own]) expect(css.match(/#[0-9a-f]{3,8}\b/gi)).toBeNull();
});

describe.skipIf(skipChromium)("in a browser,", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, LONG_MS);
  afterAll(() => browser.close());

  /** Drawings, code and tables; links and lists; a table wider than a phone. */
  const PAGES = ["guide/install.md", "README.md", "reference/metrics.md"];
  test.each(VIEWS)(
    "pages are accessible in $colorScheme at $width pixels",
    async (view) => {
      const page = await browser.newPage(viewOptions(view));
      const found: unknown[] = [];
      for (const name of PAGES) {
        await page.goto(`${server.url}/docs/${name}`);
        found.push([name, await barriersOf(page)]);
      }
      await page.close();
      expect(found).toEqual(PAGES.map((name) => [name, NO_BARRIERS]));
    },
    LONG_MS,
  );

  test("a page has its style and can be read under its own content security policy", async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("requestfailed", (request) => complaints.push(request.url()));
    await page.goto(`${server.url}/docs`);
    const width = () => page.locator("main").evaluate((main) => getComputedStyle(main).maxWidth);
    expect(await width()).toBe("736px");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.getByRole("navigation").getByRole("link", { name: "Concepts" }).click();
    await page.getByRole("heading", { level: 1, name: "Concepts" }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});

import { utf8, verifyCard } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { answerOf, cleanUp, freshEnvironment, startServer } from "../harness.ts";
import { publishedSite } from "./published.ts";

const HOSTILE = [
  "</script><script>document.title='owned'</script>",
  "<!--<script>document.title='owned'//",
  '"><img src=x onerror="document.title=\'owned\'">',
  "' onmouseover='document.title=1' x='",
  "javascript:document.title='owned'",
  "{{constructor.constructor('document.title=1')()}}",
  "](javascript:document.title='owned')",
  "line one\nline two\r\n\r\n## Heading",
  "\u202eright to left\u202c \u200f\u05e9\u05dc\u05d5\u05dd \u2066isolated",
  "\u2028\u2029 \u0000\u0007\u001b[31m",
  "👩‍🌾🌷 \u{e0041}\u{e0042} ﷽ Z̴̧̛a̸l̶g̴o",
  "&lt;b&gt; &#60;script&#62; %3Cscript%3E",
];
const URLS = [
  "https://shop.example.com/\"onclick=\"document.title='owned'",
  "https://shop.example.com/(a)[b]<c>?d='e'&f=\"g\"#</script>",
  "https://shop.example.com/%0d%0aSet-Cookie:x=1",
  "https://xn--bcher-kva.example.com/ü",
];

let server: Awaited<ReturnType<typeof startServer>>;
let shop: Awaited<ReturnType<typeof publishedSite>>;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = await publishedSite(server);
  return cleanUp;
});

async function say(words: string, url = "https://shop.example.com/x") {
  const profile = { name: words.slice(0, 120), description: words };
  expect((await server.admin("PATCH", shop.admin, profile)).status).toBe(200);
  const skill = {
    id: "hostile",
    enabled: true,
    url,
    title: words.slice(0, 80),
    description: words,
  };
  await shop.setSkills([skill]);
}

async function findKey(kid: string) {
  const { body } = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
  return body.keys.find((key: { kid: string }) => key.kid === kid);
}

const CASES = [...HOSTILE.map((words) => [words]), ...URLS.map((url) => ["Words", url])];

describe("hostile texts and addresses of an owner", () => {
  test.each(CASES)("leave every signature valid: %j %s", async (words, url) => {
    await say(words as string, url);
    const card = await (await fetch(server.url + shop.paths.card)).text();
    const page: string = (await shop.get("page")).body;
    const [, block = ""] = /id="agent-card">([^<]*)</.exec(page) ?? [];
    for (const text of [card, block]) {
      const verdict = await verifyCard(utf8(text), { findKey, now: server.context.clock.now() });
      expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([]);
    }
    for (const [, json = ""] of page.matchAll(/ld\+json"[^>]*>([^<]*)<\/script>/g)) {
      expect(JSON.parse(json)["@context"]).toBeDefined();
    }
  });

  test.each(CASES)(
    "leave llms.txt with one title and only link lines: %j %s",
    async (words, url) => {
      await say(words as string, url);
      const lines: string[] = (await shop.get("llms")).body.trimEnd().split("\n");
      expect(lines.filter((line) => line.startsWith("# ")).length).toBe(1);
      expect(lines.filter((line) => line.startsWith("## "))).toEqual([
        "## Skills",
        "## Agent interfaces",
      ]);
      const rest = lines.slice(lines.indexOf("## Skills")).filter((line) => /^[^#]/.test(line));
      for (const line of rest) expect(line).toMatch(/^- \[[^\][]+\]\(https?:\/\/[^()\s]+\): .+$/);
      expect(lines.join("\n")).not.toMatch(/\p{Cc}(?<!\n)|[\u202a-\u202e\u2066-\u2069]/u);
    },
  );

  test.skipIf(skipChromium)("do nothing in a browser", { timeout: 120_000 }, async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      // Whatever is routed is not taken from the browser's cache.
      await page.route("**", (route) => route.continue());
      for (const [words, url] of CASES) {
        await say(words as string, url);
        page.removeAllListeners();
        const events: string[] = [];
        page.on("dialog", (dialog) => void dialog.dismiss().then(() => events.push("dialog")));
        page.on("console", (message) => events.push(message.text()));
        page.on("request", (request) => events.push(request.url()));
        await page.goto(server.url + shop.paths.page);
        await page.hover("ul.skills h3");
        const seen = await page.evaluate(() => ({
          title: document.title,
          heading: document.querySelector("h1 bdi")?.textContent,
          link: document.querySelector<HTMLAnchorElement>("ul.skills a")?.protocol,
          scripts: [...document.scripts].map(({ type }) => type),
          odd: document.querySelectorAll("img, iframe, object, form, [onerror], [onclick]").length,
          handlers: [...document.querySelectorAll("*")].flatMap((element) =>
            element.getAttributeNames().filter((name) => name.startsWith("on")),
          ),
        }));
        const { body } = await shop.get("card");
        expect(seen).toEqual({
          title: `${body.name} for AI agents`,
          heading: body.name,
          link: "https:",
          scripts: ["application/ld+json", "application/ld+json"],
          odd: 0,
          handlers: [],
        });
        expect(events).toEqual([server.url + shop.paths.page]);
      }
    } finally {
      await browser.close();
    }
  });
});

describe("a text that is too long", () => {
  test.each([
    ["name", { name: "x".repeat(121) }, /^name: .*120 characters/],
    ["description", { description: "x".repeat(501) }, /^description: /],
  ])("in a site's %s is refused with a clear 400", async (_field, change, message) => {
    const { status, body } = await server.admin("PATCH", shop.admin, change);
    expect([status, body.error]).toEqual([400, "invalid_request"]);
    expect(body.message).toMatch(message);
  });

  test.each([
    ["title", { title: "x".repeat(81) }, /^skills\.0\.title: .*80 characters/],
    ["description", { description: "x".repeat(301) }, /^skills\.0\.description: .*300 characters/],
    ["url", { url: `https://a.example/${"x".repeat(2048)}` }, /^skills\.0\.url: .*2048 characters/],
    ["url once encoded", { url: `https://a.example/${"ü".repeat(1000)}` }, /^skills\.0\.url: /],
    ["id", { id: "x".repeat(65) }, /^skills\.0\.id: /],
  ])("in a skill's %s is refused with a clear 400", async (_field, fields, message) => {
    const skills = [{ id: "one", enabled: true, ...fields }];
    const { status, body } = await server.admin("PUT", `${shop.admin}/skills`, { skills });
    expect([status, body.error]).toEqual([400, "invalid_request"]);
    expect(body.message).toMatch(message);
  });
});

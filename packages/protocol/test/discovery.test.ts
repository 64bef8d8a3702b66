import { describe, expect, test } from "vitest";
import { SHOP_SKILLS } from "../src/discovery/shop-skills.ts";
import { htmlText, markdownText, markdownUrl, scriptJson } from "../src/discovery/text.ts";
import {
  a2aProjection,
  agentMarkdown,
  agentPage,
  agentsMd,
  BUILT_IN_SKILLS,
  CARD_LIFE_MS,
  canonicalBytes,
  canonicalize,
  cardInPage,
  EXAMPLE_SITE,
  generateEd25519,
  type JsonObject,
  liveSkills,
  llmsTxt,
  mcpTools,
  readSkillUrl,
  robotsBlock,
  signCard,
  signCatalog,
  siteSnapshot,
  utf8,
  verifyA2aCard,
  verifyCard,
  verifyCatalog,
} from "../src/index.ts";

const NOON = Date.UTC(2030, 4, 17, 12);
const { signer, jwk } = await generateEd25519("card-key");
const options = { findKey: (kid: string) => (kid === "card-key" ? jwk : undefined), now: NOON };
const { card, a2a } = await signCard(EXAMPLE_SITE, signer, NOON);
const { catalog, ard } = await signCatalog(EXAMPLE_SITE, signer, NOON);
const parsed = (text: string) => JSON.parse(text);
const failing = (verdict: { checks: readonly { id: string; ok: boolean }[] }) =>
  verdict.checks.filter(({ ok }) => !ok).map(({ id }) => id);

test("our own descriptions are read in Markdown as they are written", () => {
  const own = { ...BUILT_IN_SKILLS, ...SHOP_SKILLS };
  const escaped = Object.entries(own).filter(
    ([, { title, description }]) => markdownText(title + description) !== title + description,
  );
  expect(escaped.map(([id]) => id)).toEqual([]);
});

describe("a signed card", () => {
  test("is its own canonical text and verifies", async () => {
    expect(canonicalize(parsed(card))).toBe(card);
    expect(failing(await verifyCard(utf8(card), options))).toEqual([]);
  });

  test("does not verify with any byte changed", async () => {
    const bytes = utf8(card);
    const missed: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at] = (changed[at] as number) ^ 1;
      if ((await verifyCard(changed, options)).ok) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  test("does not verify with a member added, removed or repeated", async () => {
    const whole = parsed(card);
    for (const name of Object.keys(whole)) {
      const { [name]: _lost, ...rest } = whole;
      expect([name, (await verifyCard(canonicalBytes(rest), options)).ok]).toEqual([name, false]);
    }
    const more = canonicalBytes({ ...whole, extra: "more" });
    expect(failing(await verifyCard(more, options))).toEqual(["envelope"]);
    const twice = utf8(card.replace('"name":', '"name":"Somebody else","name":'));
    expect(failing(await verifyCard(twice, options))).toEqual(["json"]);
  });

  test.each([
    ["before it was issued", NOON - 61_000, ["dates"]],
    ["with a clock a minute behind", NOON - 59_000, []],
    ["just before it expires", NOON + CARD_LIFE_MS - 1, []],
    ["when it has expired", NOON + CARD_LIFE_MS, ["dates"]],
  ] as const)("is checked against the reader's clock: %s", async (_when, now, expected) => {
    expect(failing(await verifyCard(utf8(card), { ...options, now }))).toEqual([...expected]);
  });

  test("needs the key that its own id names", async () => {
    const other = (await generateEd25519("card-key")).jwk;
    const none = await verifyCard(utf8(card), { ...options, findKey: () => undefined });
    expect(failing(none)).toEqual(["key", "a2a"]);
    const wrong = await verifyCard(utf8(card), { ...options, findKey: () => other });
    expect(failing(wrong)).toEqual(["envelope", "a2a"]);
  });

  test("signed under an older id of the same key verifies while that id is listed", async () => {
    const old = await signCard(EXAMPLE_SITE, { ...signer, kid: "older-id" }, NOON);
    const listed = (kid: string) => (["older-id", "card-key"].includes(kid) ? jwk : undefined);
    expect((await verifyCard(utf8(old.card), { ...options, findKey: listed })).ok).toBe(true);
    expect(failing(await verifyCard(utf8(old.card), options))).toEqual(["key", "a2a"]);
  });

  test("is found in the agent page, and only once", async () => {
    const page = agentPage(EXAMPLE_SITE, card);
    const found = cardInPage(utf8(page)) ?? new Uint8Array();
    expect((await verifyCard(found, options)).ok).toBe(true);
    const id = 'id="agent-card"';
    for (const other of [
      `<script ${id} type="application/ld+json">{}</script>`,
      `<p/${id}>`,
      `<p title="x"${id}>`,
      `<p title=">" ${id}>`,
      "<p id='agent&#45;card'>",
      "<!--",
      "<template>",
      "<textarea>",
      "<xmp>",
      "<noscript>",
      "<plaintext>",
      "<? ",
      `<meta name="x" ${id}>\n`,
      `<link rel="x"/${id}>\n`,
      "<svg><![CDATA[",
    ]) {
      const before = page.replace(
        '<script type="application/ld+json" id="agent-card">',
        `${other}$&`,
      );
      expect([other, cardInPage(utf8(before))]).toEqual([other, undefined]);
      expect([other, cardInPage(utf8(other + page))]).toEqual([other, undefined]);
    }
  });

  test("has no empty lists except skills, and no skill if none is live", async () => {
    const bare = { ...EXAMPLE_SITE, skills: [] };
    const signed = await signCard(bare, signer, NOON);
    expect(parsed(signed.card).skills).toEqual([]);
    expect((await verifyCard(utf8(signed.card), options)).ok).toBe(true);
    const empty = /:(?:""|\[\]|\{\})/g;
    expect(signed.card.match(empty)).toEqual([":[]"]);
  });
});

describe("A2A's own format of a card", () => {
  test("carries the same signature, which covers its members", async () => {
    expect(a2a.signatures).toEqual(parsed(card).signatures);
    const verdict = await verifyA2aCard(canonicalBytes(a2a), options);
    expect([verdict.kind, verdict.ok]).toEqual(["a2a-card", true]);
    const changed = { ...a2a, description: "Something else." };
    expect(failing(await verifyA2aCard(canonicalBytes(changed), options))).toEqual(["a2a"]);
  });

  test("expires, is not a full card, and may contain nothing else", async () => {
    const late = { ...options, now: NOON + CARD_LIFE_MS };
    expect(failing(await verifyA2aCard(canonicalBytes(a2a), late))).toEqual(["dates"]);
    expect(failing(await verifyCard(canonicalBytes(a2a), options))).toEqual(["shape"]);
    const { signing: _cut, ...rest } = parsed(card);
    expect(failing(await verifyA2aCard(canonicalBytes(rest), options))).toEqual(["covered"]);
  });

  test("is what remains of the full card without the extra members", () => {
    const { signatures: _signatures, ...members } = a2a;
    expect(a2aProjection(parsed(card))).toEqual(members);
  });

  test("drops unknown members at every depth, and empty ones", () => {
    const skill = { id: "a", tags: [""], url: "https://a.example", examples: [] };
    const reduced = a2aProjection({ name: "A", mine: 1, skills: [skill], provider: {} });
    expect(reduced).toEqual({ name: "A", skills: [{ id: "a" }] });
  });
});

describe("a signed catalog", () => {
  const verdictOf = (document: JsonObject) => verifyCatalog(canonicalBytes(document), options);

  test("verifies in both formats", async () => {
    expect([(await verdictOf(catalog)).ok, (await verdictOf(ard)).ok]).toEqual([true, true]);
    expect(Object.keys(ard)).toEqual(
      Object.keys(catalog).filter((name) => name !== "trustManifest"),
    );
  });

  test("does not verify with any byte of the manifest changed", async () => {
    const text = canonicalize(catalog.trustManifest);
    const missed: number[] = [];
    for (let at = 1; at < text.length - 1; at++) {
      const changed = utf8(text);
      changed[at] = (changed[at] as number) ^ 1;
      let manifest: JsonObject;
      try {
        manifest = parsed(new TextDecoder().decode(changed));
      } catch {
        continue;
      }
      const host = { ...(ard.host as JsonObject), trustManifest: manifest };
      if ((await verdictOf({ ...ard, host, trustManifest: manifest })).ok) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  test("verifies whatever its entries' url, capabilities and description say", async () => {
    const entries = (catalog.entries as JsonObject[]).map((entry) => ({
      ...entry,
      url: "https://elsewhere.example/",
      capabilities: ["anything"],
      description: "Anything.",
    }));
    expect((await verdictOf({ ...catalog, entries })).ok).toBe(true);
  });

  test("does not verify with two manifests, another identity or a stranger's entry", async () => {
    const other = { ...(catalog.trustManifest as JsonObject), identity: "did:web:evil.example" };
    expect(failing(await verdictOf({ ...catalog, trustManifest: other }))).toEqual([
      "copies",
      "signature",
      "identity",
    ]);
    const host = { ...(catalog.host as JsonObject), identifier: "did:web:evil.example" };
    expect(failing(await verdictOf({ ...catalog, host }))).toEqual(["identity"]);
    const entry = { identifier: "urn:air:evil.example:agent:site" };
    expect(failing(await verdictOf({ ...catalog, entries: [entry] }))).toEqual(["publisher"]);
  });

  test("expires after its time", async () => {
    const late = { ...options, now: NOON + CARD_LIFE_MS };
    expect(failing(await verifyCatalog(canonicalBytes(catalog), late))).toEqual(["dates"]);
  });
});

describe("skills", () => {
  const url = "https://shop.example.com/x";

  test("are live if they are enabled and have a page, in the owner's order", () => {
    const settings = [
      { id: "zebra", enabled: true, url },
      { id: "get_pricing", enabled: true, url },
      { id: "sign_up", enabled: false, url },
      { id: "get_status", enabled: true },
      { id: "place_order", enabled: true },
    ];
    expect(liveSkills(settings, "Shop").map(({ id }) => id)).toEqual(["zebra", "get_pricing"]);
  });

  test("that are built in have default texts that an owner may replace", () => {
    expect(Object.keys(BUILT_IN_SKILLS).length).toBe(7);
    const [own] = liveSkills([{ id: "get_pricing", enabled: true, url, title: "Prices" }], "Shop");
    expect([own?.title, own?.description]).toEqual([
      "Prices",
      BUILT_IN_SKILLS.get_pricing?.description,
    ]);
    const [named] = liveSkills([{ id: "track_my_order", enabled: true, url }], "Shop");
    expect(named?.title).toBe("Track my order");
  });

  test("put the site's name into their question, whatever the name is", () => {
    const [skill] = liveSkills([{ id: "get_pricing", enabled: true, url }], "$& {site} $1");
    expect(skill?.question).toBe("What does $& {site} $1 cost?");
  });

  test.each([
    ["http://shop.example.com/", "not_https"],
    ["javascript:alert(1)", "not_https"],
    ["data:text/html,x", "not_https"],
    ["/prices", "malformed"],
    ["https://", "malformed"],
    ["https://127.0.0.1/", "not_public"],
    ["https://[::1]/", "not_public"],
    ["https://shop.localhost/", "not_public"],
    ["https://localhost./", "not_public"],
    ["https://user@shop.example.com/", "has_credentials"],
    ["https://:secret@shop.example.com/", "has_credentials"],
    [`https://shop.example.com/${"a".repeat(2048)}`, "too_long"],
  ])("do not link to %s", (text, reason) => {
    const read = readSkillUrl(text);
    expect([read.ok, read.ok ? "" : read.reason]).toEqual([false, reason]);
  });

  test("link to one spelling of a URL, with nothing in it that could end an attribute", () => {
    const read = readSkillUrl('https://SHOP.example.com/a b"<>\n`{}');
    expect(read.ok && read.value).toBe("https://shop.example.com/a%20b%22%3C%3E%60%7B%7D");
  });

  test("are the same over MCP as on the card", () => {
    expect(mcpTools(EXAMPLE_SITE).map(({ name, title }) => [name, title])).toEqual(
      parsed(card).skills.map(({ id, name }: { id: string; name: string }) => [id, name]),
    );
  });
});

describe("text by owners:", () => {
  const HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <img src=x onerror=alert(1)>",
    "a](https://evil.example) [b",
    "# heading",
    "> quote",
    "- item",
    "1. item",
    "1) item",
    "= under",
    "trailing #",
    "*bold* _under_ `code` ~~gone~~ snake_case",
    "&#91; &amp; & &lt",
    "back\\slash \\[",
    "quotes ' and \"",
    "\u2028\u2029",
  ];
  /** What a Markdown reader sees: character references decoded. */
  const decoded = (text: string) =>
    text.replace(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));

  test.each(HOSTILE)("%s is read from Markdown as it was written", (text) => {
    const written = markdownText(text);
    expect(decoded(written)).toBe(text);
    expect(/[[\]<*`\\]/.test(written)).toBe(false);
    expect(/^(?:[#>+=~|-]|\d+[.)])/.test(written)).toBe(false);
  });

  test.each(HOSTILE)("%s cannot end a script, and is the same JSON", (text) => {
    const written = scriptJson(JSON.stringify({ text }));
    expect(/[<>&\u2028\u2029]/.test(written)).toBe(false);
    expect(parsed(written)).toEqual({ text });
  });

  test.each(HOSTILE)("%s is plain text in HTML", (text) => {
    expect(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(htmlText(text))).toBe(false);
  });

  test("a URL cannot end its Markdown link", () => {
    expect(markdownUrl("https://a.example/(x)?[y]")).toBe("https://a.example/%28x%29?[y]");
  });

  test("llms.txt has one title, one summary, one paragraph, and only link lines", () => {
    const lines = llmsTxt(EXAMPLE_SITE).trimEnd().split("\n");
    expect(lines.slice(0, 4).map((line) => line.charAt(0))).toEqual(["#", "", ">", ""]);
    const rest = lines.slice(5).filter((line) => line !== "" && !line.startsWith("## "));
    expect(rest.every((line) => /^- \[[^\]]+\]\([^)\s]+\): .+$/.test(line))).toBe(true);
  });

  test("llms.txt writes the addresses to call as they are, whatever characters a key has", () => {
    const mcp = "https://gate.example.com/v1/mcp/us_-__x-_";
    const site = { ...EXAMPLE_SITE, addresses: { ...EXAMPLE_SITE.addresses, mcp } };
    expect(llmsTxt(site).includes(`how to connect to ${mcp}\n`)).toBe(true);
  });

  const products = [
    { id: "rose", title: "A [rose]", price: { minor: 1250, currency: "EUR" }, url: null },
    {
      id: "vase",
      title: "<b>Vase</b>",
      price: { minor: 2400, currency: "EUR" },
      url: "https://shop.example.com/vase?a=1&b=2",
    },
  ];

  test("agents.md names the tools, the ways to buy, and products with their ids and prices", () => {
    const selling = { ...EXAMPLE_SITE, sells: true };
    const text = agentsMd(selling, products);
    for (const words of ["create_cart", "continue_url", EXAMPLE_SITE.addresses.mcp, "12.50 EUR"]) {
      expect(text.includes(words)).toBe(true);
    }
    expect(text.includes("A &#91;rose&#93; (rose): 12.50 EUR.")).toBe(true);
    expect(agentsMd(EXAMPLE_SITE, []).includes("How to buy")).toBe(false);
  });

  test("the agent page shows products, with a link where a person buys them, as plain text", () => {
    const page = agentPage(EXAMPLE_SITE, "{}", { products });
    expect(page.includes("&lt;b&gt;Vase&lt;/b&gt;")).toBe(true);
    const link = '<a class="buy" href="https://shop.example.com/vase?a=1&amp;b=2">Buy here</a>';
    expect(page.includes(link)).toBe(true);
    expect(page.match(/Buy here/g)?.length).toBe(1);
    expect(page.includes('<data class="price" value="24.00 EUR">€24.00</data>')).toBe(true);
    // What a person came for is first, the addresses for developers last.
    const order = ["products", "skills", "developers"].map((id) => page.indexOf(`<h2 id="${id}"`));
    expect(order.every((place) => place > 0)).toBe(true);
    expect(order.toSorted((a, b) => a - b)).toEqual(order);
    expect(agentMarkdown(EXAMPLE_SITE, { products }).includes("24.00 EUR. [Buy here]")).toBe(true);
  });

  test("the agent page names its products in the words of schema.org, and no title leaves its data", () => {
    const listOf = (page: string) => {
      const [, json = ""] = /id="graph">([^<]*)<\/script>/.exec(page) ?? [];
      expect(/[<>&\u2028\u2029]/.test(json)).toBe(false);
      const nodes = parsed(json)["@graph"] as { readonly "@type": string }[];
      return nodes.find(({ "@type": type }) => type === "ItemList");
    };
    const title = "</script><!-- & \u2028\u2029";
    const details = { brand: "Rosa", gtin: "4006381333931", mpn: null };
    const url = "https://shop.example.com/vase";
    const imageUrl = "https://shop.example.com/vase.jpg";
    const price = { minor: 5000, currency: "JPY" };
    const vase = { id: "vase", title, price, url, imageUrl, ...details } as const;
    const offered = [{ ...vase, availability: "preorder" } as const, ...products.slice(0, 1)];
    const seller = { "@id": `https://${EXAMPLE_SITE.domain}/#organization` };
    const first = {
      "@type": "Product",
      sku: "vase",
      name: title,
      url,
      image: imageUrl,
      brand: { "@type": "Brand", name: "Rosa" },
      gtin: "4006381333931",
      offers: {
        "@type": "Offer",
        price: "5000",
        priceCurrency: "JPY",
        availability: "https://schema.org/PreOrder",
        url,
        seller,
      },
    };
    const second = {
      "@type": "Product",
      sku: "rose",
      name: "A [rose]",
      offers: { "@type": "Offer", price: "12.50", priceCurrency: "EUR", seller },
    };
    expect(listOf(agentPage(EXAMPLE_SITE, "{}", { products: offered }))).toEqual({
      "@type": "ItemList",
      "@id": `${EXAMPLE_SITE.addresses.agentPage}#products`,
      itemListElement: [
        { "@type": "ListItem", position: 1, item: first },
        { "@type": "ListItem", position: 2, item: second },
      ],
    });
    expect(listOf(agentPage(EXAMPLE_SITE, "{}"))).toBe(undefined);
  });

  test("the agent page shows pictures of https addresses and its own service's, and no others", () => {
    const local = { ...EXAMPLE_SITE, baseUrl: "http://localhost:8080" };
    const own = "http://localhost:8080/v1/pictures/a/b";
    const other = "http://other.example.com/v1/pictures/a/b";
    const price = { minor: 5000, currency: "EUR" };
    const vase = { id: "vase", title: "A vase", price, url: null };
    const pageWith = (imageUrl: string) =>
      agentPage(local, "{}", { products: [{ ...vase, imageUrl }] });
    for (const shown of [own, "https://shop.example.com/vase.jpg"]) {
      expect(pageWith(shown).includes(`<img src="${shown}"`)).toBe(true);
      expect(pageWith(shown).includes(`"image":"${shown}"`)).toBe(true);
    }
    for (const hidden of [
      other,
      "http://localhost:8080/other",
      "http://localhost:80801/v1/pictures/a",
    ]) {
      expect(pageWith(hidden).includes(hidden)).toBe(false);
    }
  });

  test("the robots block says what may be done with texts, in both vocabularies", () => {
    const lines = robotsBlock(EXAMPLE_SITE).split("\n");
    expect(lines.includes("Content-Usage: search=y, train-ai=n")).toBe(true);
    expect(lines.includes("Content-Signal: search=yes, ai-input=yes, ai-train=no")).toBe(true);
  });

  test("documents name the website by https, and by http only on this machine", () => {
    const local = { ...EXAMPLE_SITE, domain: "shop.localhost:3000" };
    expect(llmsTxt(EXAMPLE_SITE).includes(`The website is https://${EXAMPLE_SITE.domain}.`)).toBe(
      true,
    );
    expect(llmsTxt(local).includes("The website is http://shop.localhost:3000.")).toBe(true);
    expect(agentMarkdown(local).includes("The website is http://shop.localhost:3000.")).toBe(true);
  });

  test("a site without a description still has a summary", () => {
    const profile = { siteKey: "sk_old-shop", siteKeyHash: "A".repeat(43), domain: "a.example" };
    const words = { name: "A", description: "", skills: [], verified: true };
    const facts = { version: 1, changedAt: "" };
    expect(siteSnapshot({ ...profile, ...words, ...facts }, "https://g.example").summary).toBe(
      "What A offers to AI agents.",
    );
  });
});

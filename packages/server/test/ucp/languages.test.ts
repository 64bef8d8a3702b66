import { beforeAll, describe, expect, test } from "vitest";
import { en } from "../../src/domain/buyer-words/en.ts";
import { LANGUAGES, languageFor, wordsIn } from "../../src/domain/buyer-words/words.ts";
import { systemClock } from "../../src/infra/clock.ts";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { PageBuyer, TYPED } from "./buyer.ts";
import { buying, lines } from "./buying.ts";
import { Platform } from "./platform.ts";

type Leaf = readonly [path: string, text: string];

/** Every text of a table, by its place. */
function textsOf(words: object, path = ""): readonly Leaf[] {
  return Object.entries(words).flatMap(([name, value]): readonly Leaf[] => {
    const at = `${path}${name}`;
    if (typeof value === "string") return [[at, value]];
    return typeof value === "object" ? textsOf(value, `${at}.`) : [];
  });
}

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
const FOREIGN = LANGUAGES.filter((language) => language !== "en");

describe("the words of the pages for buyers", () => {
  test.each(FOREIGN)(
    "in %s are complete, with the placeholders of the English ones",
    (language) => {
      const own = new Map(textsOf(wordsIn(language)));
      for (const [path, text] of textsOf(en)) {
        expect([path, placeholders(own.get(path) ?? "")]).toEqual([path, placeholders(text)]);
        expect([path, own.get(path)?.trim() ?? ""]).not.toEqual([path, ""]);
      }
      expect(own.size).toBe(textsOf(en).length);
    },
  );

  test("name the obligation to pay on the button, as German law wants it", () => {
    expect(wordsIn("de").form.pay).toBe("Zahlungspflichtig bestellen");
  });

  test.each([
    ["de-AT,de;q=0.9,en;q=0.8", {}, "de"],
    ["sv,ja;q=0.5,fr;q=0.7", {}, "fr"],
    ["sv", { language: "nl-BE" }, "nl"],
    ["", { language: "sv" }, "en"],
    ["de;q=0,it", {}, "it"],
    [undefined, {}, "en"],
  ])(
    "are chosen by the browser, then by the platform: %s and %o give %s",
    (header, context, language) => {
      expect(languageFor(header, context)).toBe(language);
    },
  );
});

describe("a page for buyers", () => {
  let server: TestServer;
  let at: ReturnType<typeof buying>;
  beforeAll(async () => {
    const platform = await Platform.start();
    const env = await freshEnvironment("sqlite");
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host });
    at = buying(server, platform, systemClock);
    return async () => {
      platform.stop();
      await cleanUp();
    };
  });

  /** English texts of some length. Short ones may be words of another language too. */
  const english = textsOf(en)
    .map(([, text]) => text.replace(/\{\w+\}.*$/, "").trim())
    .filter((text) => text.length > 8);

  test.each(FOREIGN)("in %s has no English left, at any step", async (language) => {
    const shop = await at.shop();
    const { body: made } = await at.create(shop, lines(["rose", 1]));
    const { body: cart } = await at.call(shop, "/carts", lines(["rose", 1]));
    const buyer = new PageBuyer(server.url, made.continue_url, { "accept-language": language });
    const seen = [
      await new PageBuyer(server.url, cart.continue_url, { "accept-language": language }).look(),
      await buyer.look(),
    ];
    await buyer.press("update", { ...TYPED, email: "" });
    await buyer.press("update", { ...TYPED, option: "" });
    seen.push(await buyer.look());
    const page = await buyer.order();
    seen.push((await buyer.ask(page)).html, await buyer.look(), await buyer.pay(page, "decline"));
    seen.push(await buyer.pay(page));
    for (const html of seen) {
      expect(html).toContain(`<html lang="${language}">`);
      expect(english.filter((text) => html.includes(text))).toEqual([]);
    }
    expect(seen.at(-1)).toContain(wordsIn(language).placed.thanks);
  });
});

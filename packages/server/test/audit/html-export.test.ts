import { readFileSync } from "node:fs";
import { exportInPage, exportVerifier, noteKeyText } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleAuditPage } from "../../../../scripts/bundle-audit-page.mjs";
import { skipChromium } from "../../../../test/chromium.ts";
import { keySet, type PageSetUp, pageOf, pageOfLog, SIZE, setUpPages } from "./page-browser.ts";
import { writtenDecision } from "./written-decision.ts";
import {
  checkpointAt,
  noteKeyOf,
  signedPart,
  type WrittenLog,
  writeLog,
  writePart,
} from "./written-log.ts";

let { key, other, log, long, browser } = {} as PageSetUp;
beforeAll(async () => {
  const pages = await setUpPages();
  ({ key, other, log, long, browser } = pages);
  return pages.tearDown;
});

const goodPage = (of = log) => pageOfLog(of);

describe("the exported page", () => {
  test("contains the script that its source gives (if not, run `npm run build`)", async () => {
    const built = new URL("../../dist/assets/audit-page.js", import.meta.url);
    const code = await bundleAuditPage();
    expect(readFileSync(built, "utf8") === code).toBe(true);
    expect(code.match(/<\/script|<script|<!--/i) ?? code.match(/\P{ASCII}/u)).toBeNull();
  });

  test("has the same bytes for the same part, however the stream is cut", async () => {
    const content = () => ({ change: { kind: "</script><!--<script>ümlaut 👩‍🌾" } });
    const hostile = await writeLog(3, key, content);
    const signed = await signedPart(hostile, await writePart(hostile));
    const whole = await pageOf(signed, [key]);
    for (const length of [1, 7, 1000]) expect(await pageOf(signed, [key], length)).toBe(whole);
    const carried = exportInPage(whole) as string;
    expect(carried).not.toContain("<");
    expect(JSON.parse(carried)).toEqual(signed);
    const trust = { keys: new Map([[key.kid, key.jwk]]), pins: [], replay: true };
    const verifier = exportVerifier(trust);
    await verifier.add(carried);
    expect(verifier.report().ok).toBe(true);
  });
});

describe.skipIf(skipChromium)("an unchanged page", () => {
  test("verifies with its own key, says so, and asks whose key it is", async () => {
    const { verdict, banner, answer, text } = await browser.open(await goodPage());
    expect(await verdict()).toBe("unconfirmed");
    expect(await banner()).toMatch(
      /Nothing was changed since the key named in this file signed it/,
    );
    expect(await banner()).toMatch(/cannot know who owns this key[\s\S]*audit-jwks\.json/);
    for (const question of ["integrity", "completeness", "replay"]) {
      expect((await answer(question))[0]).toBe("holds");
    }
    expect((await answer("anchoring"))[0]).toBe("not_checked");
    // As the key set has it, so that people can compare.
    expect(await text()).toContain(key.jwk.x);
    expect(await text()).toContain("proves nothing if its script was replaced");
  });

  test.each(["key set", "vkey"])("verifies after the right %s is pasted", async (kind) => {
    const { verdict, page, banner } = await browser.open(await goodPage());
    await verdict();
    const pasted = kind === "vkey" ? await noteKeyText(noteKeyOf(log)) : keySet(other, key);
    // By hand, as people do; `give` does the same faster.
    await page.fill("#trusted-key", ` ${pasted}\n`);
    await page.click("button");
    expect(await verdict()).toBe("holds");
    expect(await banner()).toMatch(/^✓\s*This export is valid/);
  });

  test("shows every record, and opens each one with its proof", async () => {
    const { verdict, page } = await browser.open(await goodPage());
    await verdict();
    expect(await page.locator("tbody tr[id]").count()).toBe(SIZE);
    const cells = await page.locator("#record-7 :is(th, td)").allTextContents();
    const time = "2030-05-17T08:00:07.000Z";
    expect(cells).toEqual(["7", time, "site.changed", "profile 7", "token-1"]);
    await page.focus("#record-7 + tr summary");
    await page.keyboard.press("Enter");
    const { text, hash, sig, key_id } = log.entries[7] as WrittenLog["entries"][number];
    expect(await page.textContent("#record-7 + tr pre")).toBe(text);
    expect(await page.locator("#record-7 + tr dd").allTextContents()).toEqual([hash, sig, key_id]);
  });

  test("passes through earlier checkpoints, at its ends and between", async () => {
    const { verdict, give, answer } = await browser.open(await goodPage());
    await verdict();
    for (const size of [0, 12, SIZE]) {
      const checkpoint = (await checkpointAt(log, size)).trimEnd();
      expect(await give({ checkpoint })).toBe("unconfirmed");
      expect((await answer("anchoring"))[0]).toBe("holds");
      expect(await give({ checkpoint, key: keySet(key) })).toBe("holds");
    }
  });

  test("does not look wrong because it is one part of several", async () => {
    const signed = await signedPart(long, await writePart(long, { part: 2 }));
    const { verdict, give, answer, text } = await browser.open(await pageOf(signed, [key]));
    expect(await verdict()).toBe("unconfirmed");
    const [kind, words] = await answer("completeness");
    expect(kind).toBe("not_checked");
    expect(words).toContain("this is part 2 of 2; completeness of the day needs all parts");
    expect(await text()).not.toContain("is missing");
    expect(await give({ key: keySet(key) })).toBe("holds");
  });

  test("of a day that is still open says that later records are missing, and never that the day is complete", async () => {
    const open = await signedPart(log, { ...(await writePart(log)), closed: false });
    const { verdict, answer } = await browser.open(await pageOf(open, [key]));
    expect(await verdict()).toBe("unconfirmed");
    const [kind, words] = await answer("completeness");
    expect(kind).toBe("holds");
    expect(words).toMatch(/ every record up to the export is present; the day was not over yet$/);
  });

  test("verifies without any record", async () => {
    const empty = await signedPart(log, await writePart(log, { end: 0 }));
    const { verdict, text } = await browser.open(await pageOf(empty, [key]));
    expect(await verdict()).toBe("unconfirmed");
    expect(await text()).toContain("This part contains no records.");
  });

  test("says what it is without scripts, and is not verified then", async () => {
    const { page } = await browser.open(await goodPage(), { javaScriptEnabled: false });
    expect(await page.textContent("noscript")).toMatch(/Not verified[\s\S]*gatehouse audit verify/);
    expect(await page.getAttribute("html", "data-verdict")).toBeNull();
  });
});

describe.skipIf(skipChromium)("a key or a checkpoint from elsewhere", () => {
  test("reveals a log that was signed again with another key under the same id", async () => {
    const thief = { ...other, kid: key.kid };
    const { verdict, give, banner, text } = await browser.open(
      await goodPage(await writeLog(SIZE, thief)),
    );
    expect(await verdict()).toBe("unconfirmed");
    expect(await text()).not.toContain(key.jwk.x);
    for (const pasted of [keySet(key), await noteKeyText(noteKeyOf(log))]) {
      expect(await give({ key: pasted })).toBe("fails");
      expect(await banner()).toContain("record 0: the signature of the record is not valid");
      expect(await banner()).toContain("The keys you gave are not those that this file names.");
    }
    expect(await give({})).toBe("unconfirmed");
  });

  test("fails if the key signed nothing here", async () => {
    const { verdict, give, banner } = await browser.open(await goodPage());
    await verdict();
    expect(await give({ key: keySet(other) })).toBe("fails");
    expect(await banner()).toContain("record 0: it is signed by a key that is not in the key set");
  });

  test("reveals a history that was rewritten with the right key", async () => {
    const again = await writeLog(SIZE, key, () => ({ change: { kind: "rewritten" } }));
    const { verdict, give, banner } = await browser.open(await goodPage(again));
    await verdict();
    expect(await give({ key: keySet(key) })).toBe("holds");
    const checkpoint = await checkpointAt(log, 12);
    expect(await give({ key: keySet(key), checkpoint })).toBe("fails");
    expect(await banner()).toContain("the checkpoint at 12 records has a different history");
  });

  test("fails as unanchored if the checkpoint is beyond the export", async () => {
    const html = await pageOf(await signedPart(log, await writePart(log, { end: 15 })), [key]);
    const { verdict, give, answer } = await browser.open(html);
    await verdict();
    const checkpoint = await checkpointAt(log, 18);
    expect(await give({ key: keySet(key), checkpoint })).toBe("fails");
    const [kind, words] = await answer("anchoring");
    expect(kind).toBe("fails");
    expect(words).toContain("unanchored: the checkpoint at 18 records");
  });

  test("fails if somebody else signed the checkpoint", async () => {
    const { verdict, give, answer } = await browser.open(await goodPage());
    await verdict();
    const checkpoint = await checkpointAt(await writeLog(SIZE, other), 12);
    expect(await give({ key: keySet(key), checkpoint })).toBe("fails");
    expect((await answer("anchoring"))[1]).toContain("no known key has signed it");
  });

  test.each([
    ["a key set without keys", { key: '{"keys":[]}' }, "#trusted-key"],
    ["words", { key: "the key" }, "#trusted-key"],
    [
      "a checkpoint without its signature",
      { checkpoint: "a.example/1\n7\nAA==" },
      "#kept-checkpoint",
    ],
  ])("is reported if it cannot be read, and nothing passes because of it: %s", async (...row) => {
    const [, given, field] = row;
    const { verdict, give, page, banner } = await browser.open(await goodPage());
    await verdict();
    expect(await give({ key: keySet(key) })).toBe("holds");
    expect(await give({ key: keySet(key), ...given })).toBe("unread");
    expect(await banner()).toMatch(/^–\s*Not verified/);
    expect(await page.locator("dd[data-question]").count()).toBe(0);
    expect(await page.getAttribute(field, "aria-invalid")).toBe("true");
    expect(await page.textContent(`${field}-error`)).toContain("cannot be read");
    expect(await page.evaluate(() => `#${document.activeElement?.id}`)).toBe(field);
    expect(await give({ key: keySet(key) })).toBe("holds");
    expect(await page.getAttribute(field, "aria-invalid")).toBe("false");
  });
});

test.skipIf(skipChromium)("the page does not accept its own line as a trusted key", async () => {
  const { verdict, give, page } = await browser.open(await goodPage());
  await verdict();
  const shown = (await page.textContent(".keys code")) ?? "";
  expect(await give({ key: shown })).toBe("unread");
  expect(await page.textContent("#trusted-key-error")).toContain(
    "A file cannot vouch for its own keys.",
  );
});

test.skipIf(skipChromium)(
  "a page whose script was changed says that it is not verified",
  async () => {
    const html = await goodPage();
    const changed = html.replace(/<script>(?=[^<]*\()/, "<script>void 0;");
    expect(changed).not.toBe(html);
    const { page } = await browser.open(changed);
    expect(await page.textContent("#audit-result")).toBe(
      "Not verified: the script of this page did not run.",
    );
  },
);

test.skipIf(skipChromium)("of two pasted values the later one counts", async () => {
  const { page, verdict, banner } = await browser.open(await goodPage());
  await verdict();
  const pasted = [await noteKeyText(noteKeyOf({ ...log, key: other })), keySet(key)];
  const ask = (texts: readonly string[]) => {
    const field = document.querySelector("#trusted-key") as HTMLTextAreaElement;
    for (const text of texts) {
      field.value = text;
      field.form?.requestSubmit();
    }
  };
  await page.evaluate(ask, pasted);
  expect(await verdict()).toBe("holds");
  await page.evaluate(ask, [...pasted].reverse());
  expect(await verdict()).toBe("fails");
  expect(await banner()).toContain("not in the key set");
});

describe.skipIf(skipChromium)("decisions in a page", () => {
  async function decided(outcome?: string) {
    const { content, published, policies } = await writtenDecision(outcome);
    const of = await writeLog(4, key, (seq) => ({ 1: published, 2: content })[seq] ?? {});
    const signed = await signedPart(of, await writePart(of, { policies }));
    return browser.open(await pageOf(signed, [key]));
  }

  test("are evaluated again by the rules they name", async () => {
    const { verdict, answer, page } = await decided();
    expect(await verdict()).toBe("unconfirmed");
    expect((await answer("replay"))[1]).toContain("(1 replayed)");
    expect(await page.textContent("#record-2 td:nth-of-type(3)")).toMatch(/^approved/);
  });

  test("fail if they do not follow from those rules", async () => {
    const { verdict, banner } = await decided("denied<img src=x onerror=alert(1)>");
    expect(await verdict()).toBe("fails");
    expect(await banner()).toContain("record 2: it says denied<img src=x onerror=alert(1)>");
  });
});

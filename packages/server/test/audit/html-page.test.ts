import { beforeAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../../test/barriers.ts";
import { skipChromium } from "../../../../test/chromium.ts";
import { keySet, type PageSetUp, pageOf, pageOfLog, SIZE, setUpPages } from "./page-browser.ts";
import { writtenDecision } from "./written-decision.ts";
import { auditKey, checkpointAt, signedPart, writeLog, writePart } from "./written-log.ts";

let { key, other, log, browser } = {} as PageSetUp;
beforeAll(async () => {
  const pages = await setUpPages();
  ({ key, other, log, browser } = pages);
  return pages.tearDown;
});

const goodPage = (of = log) => pageOfLog(of);

const HOSTILE = [
  "</script><script>window.owned=1;alert(1)</script>",
  "<!--<script>window.owned=2</script>-->",
  '"><img src=x onerror="window.owned=3;alert(1)">',
  "<iframe srcdoc='<script>parent.owned=4</script>'></iframe>",
  "javascript:alert(1)",
  "\u202eright to left\u202c \u2066isolated\u2069 \u200b\u00ad\u2028\u0085\u{e0041}",
  "\u0000\u0007\u001b[31m\r\n",
  `${"<b>long</b>".repeat(4500)}`,
];

describe.skipIf(skipChromium)("the page by itself", () => {
  test("shows hostile text as plain text", { timeout: 60_000 }, async () => {
    const chain = "evil.example/\u202e<img/src=x/onerror=alert(1)>/audit/1";
    const evil = await auditKey("</script><script>window.owned=5</script>");
    const content = (seq: number) => {
      const words = HOSTILE[seq % HOSTILE.length] as string;
      // The first record is the genesis whatever else it says.
      return { actor: { id: words.slice(0, 300) }, change: { kind: words } };
    };
    const of = await writeLog(HOSTILE.length, evil, content, chain);
    const { page, verdict, events, requests, url } = await browser.open(await goodPage(of));
    expect(await verdict()).toBe("unconfirmed");
    for (const summary of await page.locator("summary").all()) await summary.click();
    // Opening is told to the page a moment after the click.
    await page
      .locator("pre")
      .nth(HOSTILE.length - 1)
      .waitFor();
    const seen = await page.evaluate(() => ({
      owned: (window as { owned?: number }).owned,
      title: document.title,
      scripts: [...document.scripts].map(({ type, id }) => type + id),
      inMain: [...new Set([...document.querySelectorAll("main *")].map(({ tagName }) => tagName))],
      attributes: [
        ...new Set([...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames())),
      ].filter((name) => /^on|^src|^style|^action/.test(name)),
      shown: document.querySelector("main")?.textContent ?? "",
      longest: Math.max(
        ...[...document.querySelectorAll("td.text")].map((td) => td.innerHTML.length),
      ),
      opened: [...document.querySelectorAll("pre")].map((pre) => pre.textContent ?? ""),
    }));
    expect(seen.owned).toBeUndefined();
    expect(seen.title).toContain("/\\u202e<img/src=x/onerror=alert(1)>/");
    const blocks = ["application/jsonaudit-export", "application/jsonaudit-keys", ""];
    expect(seen.scripts).toEqual(blocks);
    const known =
      "H1 H2 NOSCRIPT DIV P BDI SPAN SECTION DL DT DD B UL LI CODE FORM LABEL TEXTAREA BUTTON " +
      "TABLE THEAD TBODY TR TH TD DETAILS SUMMARY PRE";
    expect(seen.inMain.filter((tag) => !known.split(" ").includes(tag))).toEqual([]);
    expect(seen.attributes).toEqual([]);
    expect(seen.shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(seen.longest).toBeLessThan(1000);
    expect(seen.opened.map((text) => JSON.parse(text).change.kind)).toEqual(HOSTILE);
    expect([events, requests]).toEqual([[], [url]]);
  });

  test("sends no request, and could not", async () => {
    const { page, verdict, give, requests, events, url } = await browser.open(await goodPage());
    await verdict();
    await give({ key: keySet(key), checkpoint: await checkpointAt(log, 12) });
    expect([requests, events]).toEqual([[url], []]);
    const answer = await page.evaluate(() =>
      fetch("https://example.com/").then(
        () => "answered",
        () => "refused",
      ),
    );
    expect([answer, requests]).toEqual(["refused", [url]]);
  });

  test("runs only its own script", async () => {
    const injected = `<script>window.owned=1</script><img src="x.png" onerror="window.owned=2">`;
    const html = (await goodPage()).replace(
      "<h1>",
      `${injected}<style>main{opacity:0}</style><h1>`,
    );
    const { page, verdict, events, requests, url } = await browser.open(html);
    expect(await verdict()).toBe("unconfirmed");
    expect(await page.evaluate(() => (window as { owned?: number }).owned)).toBeUndefined();
    const opacity = () => getComputedStyle(document.querySelector("main") as Element).opacity;
    expect(await page.evaluate(opacity)).toBe("1");
    const stopped = [url, new URL("x.png", url).href, "csp"];
    expect(requests).toEqual(stopped);
    const policies = ["script-src", "style-src", "default-src"];
    for (const name of policies) expect(events.join("\n")).toContain(name);
  });

  // Again on a busy machine: one run in time shows what the page can do.
  const patient = { retry: 2 };
  test(
    "verifies and shows 1,000 records in under 3 seconds, as the contract says",
    patient,
    async () => {
      // As long as real ones, and nearly all of them decisions to be made again.
      const { content, published, policies } = await writtenDecision();
      const note = "a record of about a kilobyte ".repeat(20);
      const of = await writeLog(1000, key, (seq) => {
        if (seq < 2) return seq === 0 ? {} : published;
        const mandate = { mandate_id: `mandate-${seq}`, digest: "11".repeat(32) };
        return { ...content, mandate, note };
      });
      const html = await pageOf(await signedPart(of, await writePart(of, { policies })), [key]);
      const init = () => {
        new MutationObserver(() => {
          const { verdict = "verifying" } = document.documentElement?.dataset ?? {};
          if (verdict === "verifying") return;
          const painted = () => {
            (window as { ms?: number }).ms ??= performance.now();
          };
          requestAnimationFrame(() => requestAnimationFrame(painted));
        }).observe(document, {
          attributes: true,
          subtree: true,
          attributeFilter: ["data-verdict"],
        });
      };
      const { page, verdict } = await browser.open(html, { init });
      expect(await verdict()).toBe("unconfirmed");
      const found = await page.waitForFunction(() => (window as { ms?: number }).ms);
      expect(await found.jsonValue()).toBeLessThan(3000);
      expect(await page.locator("tbody tr[id]").count()).toBe(1000);
    },
  );
});

describe.skipIf(skipChromium)("the page in a browser", () => {
  test.each([
    [
      "without Ed25519",
      () => {
        crypto.subtle.importKey = (() => {
          throw new DOMException("Unrecognized name", "NotSupportedError");
        }) as never;
      },
    ],
    ["without Web Crypto", () => Object.defineProperty(crypto, "subtle", { value: undefined })],
    [
      "that says yes to everything",
      () => {
        crypto.subtle.verify = async () => true;
      },
    ],
    [
      "that says no to everything",
      () => {
        crypto.subtle.verify = async () => false;
      },
    ],
  ])("says that nothing was verified, and never passes: %s", async (_name, init) => {
    const { page, verdict, banner } = await browser.open(await goodPage(), { init });
    expect(await verdict()).toBe("unsupported");
    expect(await banner()).toMatch(/Not verified[\s\S]*gatehouse audit verify/);
    expect(await page.locator(".holds, button").count()).toBe(0);
    expect(await page.locator("tbody tr[id]").count()).toBe(SIZE);
  });
});

describe.skipIf(skipChromium)("the page", () => {
  test.each(VIEWS)("is accessible in $colorScheme at $width pixels", async (view) => {
    const html = await pageOf(await signedPart(log, await writePart(log, { end: 3 })), [key]);
    const { page, verdict, give, events } = await browser.open(html, viewOptions(view));
    await verdict();
    await page.click("#record-1 + tr summary");
    const states = {
      unread: "not a key",
      unconfirmed: "",
      holds: keySet(key),
      fails: keySet(other),
    };
    for (const [state, pasted] of Object.entries(states)) {
      expect(await give({ key: pasted })).toBe(state);
      expect([state, await barriersOf(page)]).toEqual([state, NO_BARRIERS]);
    }
    expect(events).toEqual([]);
  });
});

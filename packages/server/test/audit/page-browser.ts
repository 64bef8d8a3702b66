import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { htmlPage } from "../../src/domain/audit/exports/html.ts";
import { cleanUp, temporaryFolder } from "../harness.ts";
import {
  type AuditKey,
  auditKey,
  type OpenBundle,
  signedPart,
  type WrittenLog,
  writeLog,
  writePart,
} from "./written-log.ts";

/** A key set as the service publishes it. */
export function keySet(...keys: readonly AuditKey[]): string {
  return JSON.stringify({ keys: keys.map(({ kid, jwk }) => ({ kid, ...jwk, use: "sig" })) });
}

/** A text in pieces as a stream may cut it, never inside a character. */
async function* pieces(text: string, length: number): AsyncGenerator<string> {
  const characters = [...text];
  for (let i = 0; i < characters.length; i += length) {
    yield characters.slice(i, i + length).join("");
  }
}

/** The HTML file of a signed part that names these keys as its own. */
export async function pageOf(
  signed: { readonly bundle: OpenBundle; readonly signature: string },
  keys: readonly AuditKey[],
  pieceLength = 4096,
): Promise<string> {
  const publicKeys = async () => keys.map(({ kid, jwk }) => ({ kid, jwk }));
  const stream = pieces(`${JSON.stringify(signed)}\n`, pieceLength);
  let html = "";
  for await (const chunk of htmlPage(stream, { publicKeys, version: "0.0.0" })) html += chunk;
  return html;
}

/** The file of a whole log that nobody touched. */
export async function pageOfLog(log: WrittenLog): Promise<string> {
  return pageOf(await signedPart(log, await writePart(log)), [log.key]);
}

interface OpenPage {
  readonly page: Page;
  readonly url: string;
  /** Addresses the page asked for, its own included; those its policy stopped are marked. */
  readonly requests: string[];
  /** Dialogs, console lines and errors. */
  readonly events: string[];
  verdict(): Promise<string | undefined>;
  /** All that the page says. */
  text(): Promise<string>;
  banner(): Promise<string>;
  /** The answer to one question, by its verdict and its words. */
  answer(question: string): Promise<readonly [string | null, string | null]>;
  /** Pastes what an auditor trusts and verifies again. */
  give(given: { readonly key?: string; readonly checkpoint?: string }): Promise<string | undefined>;
}

function openPage(page: Page, url: string): OpenPage {
  const settled = async () => {
    const done = "html[data-verdict]:not([data-verdict=verifying])";
    await page.waitForSelector(done, { state: "attached" });
    return page.evaluate(() => document.documentElement.dataset.verdict);
  };
  const open: OpenPage = {
    page,
    url,
    requests: [],
    events: [],
    verdict: settled,
    text: async () => (await page.textContent("main")) ?? "",
    banner: async () => (await page.textContent("[role=status]")) ?? "",
    answer: async (question) => {
      const item = page.locator(`dd[data-question=${question}]`);
      return [await item.getAttribute("class"), await item.textContent()];
    },
    give: async ({ key = "", checkpoint = "" }) => {
      const paste = ([trusted = "", kept = ""]: readonly string[]) => {
        (document.querySelector("#trusted-key") as HTMLTextAreaElement).value = trusted;
        (document.querySelector("#kept-checkpoint") as HTMLTextAreaElement).value = kept;
        document.querySelector("button")?.click();
      };
      await page.evaluate(paste, [key, checkpoint]);
      return settled();
    },
  };
  page.on("request", (request) => open.requests.push(request.url()));
  page.on("requestfailed", (request) => open.requests.push(`${request.failure()?.errorText}`));
  page.on("console", (message) => open.events.push(message.text()));
  page.on("pageerror", (error) => open.events.push(String(error)));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => open.events.push("dialog")));
  return open;
}

interface OpenOptions extends BrowserContextOptions {
  /** Runs in the page before anything of its own. */
  readonly init?: () => void;
}

/** A browser that opens pages from disk. */
async function pageBrowser(folder: string) {
  const browser = await launchChromium();
  const plain = await (await browser.newContext()).newPage();
  let files = 0;
  return {
    close: () => browser.close(),
    /** A page with options gets a window of its own; the others take turns in one. */
    async open(html: string, { init, ...options }: OpenOptions = {}): Promise<OpenPage> {
      const file = join(folder, `export-${files++}.html`);
      writeFileSync(file, html);
      let page = plain;
      if (init !== undefined || Object.keys(options).length > 0) {
        const context = await browser.newContext(options);
        if (init !== undefined) await context.addInitScript(init);
        page = await context.newPage();
        onTestFinished(() => context.close());
      }
      page.removeAllListeners();
      const open = openPage(page, pathToFileURL(file).href);
      await page.goto(open.url);
      return open;
    },
  };
}

/** Records of the log that most tests are about. */
export const SIZE = 20;
/** Two parts: a full one, and three records more. */
const TWO_PARTS = 1003;

/** Two keys, a short log and a long one by the first, and a browser to open their exports in. */
export async function setUpPages() {
  const key = await auditKey();
  const other = await auditKey();
  const log = await writeLog(SIZE, key);
  const long = await writeLog(TWO_PARTS, key);
  const folder = temporaryFolder();
  const browser = skipChromium ? undefined : await pageBrowser(folder);
  return {
    key,
    other,
    log,
    long,
    // Tests that open a page are skipped where there is no browser.
    browser: browser as NonNullable<typeof browser>,
    tearDown: async () => {
      await browser?.close();
      await cleanUp();
    },
  };
}

export type PageSetUp = Awaited<ReturnType<typeof setUpPages>>;

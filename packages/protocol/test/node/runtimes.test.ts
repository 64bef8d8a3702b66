import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Miniflare } from "miniflare";
import { beforeAll, expect, test } from "vitest";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { vectors } from "../vectors.ts";
import { bundlePortableTests } from "./portable-suite.ts";
import type { Report } from "./tiny-runner.ts";

/** Portable tests at the last count; a bundle that silently lost some would still be green. */
const PORTABLE_TESTS_MIN = 750;
const RUN_MS_MAX = 120_000;

let bundle = "";
beforeAll(async () => {
  bundle = await bundlePortableTests();
});

function expectWhole(report: Report): void {
  expect(report.failures).toEqual([]);
  expect(report.passed).toBeGreaterThanOrEqual(PORTABLE_TESTS_MIN);
  if (vectors !== undefined)
    expect(report.outside).toBe(6 + 26 + 151 + 12 + 2 + 196 + 9 + 1 + 12 + 1 + 3);
}

test("the protocol's tests pass in workerd", { timeout: RUN_MS_MAX }, async ({ task }) => {
  const worker = `import { run } from "./suite.js";
    export default { fetch: async () => Response.json(await run()) };`;
  const workerd = new Miniflare({
    modules: [
      { type: "ESModule", path: "worker.js", contents: worker },
      { type: "ESModule", path: "suite.js", contents: bundle },
    ],
    compatibilityDate: "2026-01-01",
  });
  try {
    const response = await workerd.dispatchFetch("http://workerd.test/");
    const report = (await response.json()) as Report;
    Object.assign(task.meta, { runtime: "workerd", portable: report.passed });
    expectWhole(report);
  } finally {
    await workerd.dispose();
  }
});

test.skipIf(skipChromium)(
  "the protocol's tests pass in Chromium",
  { timeout: RUN_MS_MAX },
  async ({ task }) => {
    const page = `<!doctype html><meta charset="utf-8"><script type="module">
      import { run } from "/suite.js"; window.report = await run();</script>`;
    const server = createServer((request, response) => {
      const script = request.url === "/suite.js";
      response.setHeader("content-type", script ? "text/javascript; charset=utf-8" : "text/html");
      response.end(script ? bundle : page);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const found = await tab.waitForFunction(
        () => (window as { report?: Report }).report,
        undefined,
        { timeout: RUN_MS_MAX },
      );
      const report = (await found.jsonValue()) as Report;
      Object.assign(task.meta, {
        runtime: `Chromium ${browser.version()}`,
        portable: report.passed,
      });
      expectWhole(report);
    } finally {
      await browser.close();
      server.close();
    }
  },
);

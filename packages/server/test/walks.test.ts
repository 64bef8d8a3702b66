import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { importsOfCode, root, type SourceFile, sourcesOf } from "../../../test/source.ts";
import { ManualClock } from "../src/infra/clock.ts";
import { exportPart, exportPath } from "./audit/exporting.ts";
import { executedFiles } from "./executed-files.ts";
import { NOON } from "./harness.ts";
import { cart } from "./selling/selling.ts";
import { openWorld } from "./ucp/buying.ts";

const SOURCE = "packages/server/src/";
/** What serves every request, or commits for every step, is no step of a walk. */
const SHARED =
  /^(?:infra\/|http\/server\/|domain\/audit\/audit-log\.ts$|(?:app|context|jobs)\.ts$)/;
const PROVIDER = "payments/provider.ts";

/** The most files that may hand a request on. */
const STEPS_MAX: Readonly<Record<string, number>> = {
  "GET card": 6,
  "POST mandate": 12,
  "MCP call that pays": 13,
  "UCP complete": 14,
  "Audit export": 9,
};

/** The steps of every walk, as the documentation lists them. */
function documentedWalks(): Map<string, readonly string[]> {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, walks = ""] = text.split("\n## Five walks\n");
  const sections = walks.split("\n### ").slice(1);
  return new Map(
    sections.map((section) => {
      const [name = ""] = section.split("\n");
      return [name, [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path as string)];
    }),
  );
}

const below = (path: string) => path.replace(SOURCE, "");
const sources = new Map(sourcesOf("server").map((file) => [below(file.path), file]));

const sourceOf = (path: string) => sources.get(path) as SourceFile;
/** Whether a file calls functions of another: it imports more than its types. */
const calls = (from: string, to: string) => importsOfCode(sourceOf(from)).map(below).includes(to);
/** Whether a file names another, if only the type of an object that the composition root hands it. */
const names = (from: string, to: string) => sourceOf(from).imports.map(below).includes(to);
/** A provider is reached through its interface: only the list of providers imports it. */
const isProvider = (path: string) => path.startsWith("payments/") && names(path, PROVIDER);
const leadsTo = (from: string, step: string) =>
  names(from, step) || (isProvider(step) && names(from, PROVIDER));

describe("the walks of docs/architecture.md", () => {
  const documented = documentedWalks();
  const executed = new Map<string, readonly string[]>();

  beforeAll(async () => {
    const clock = new ManualClock(NOON);
    const { server, at, close } = await openWorld("sqlite", clock);
    // Nothing runs but what the request asks for.
    await server.context.jobs.stop();
    const shop = await at.shop();
    const buyer = await at.buyer(shop);
    // Of a shop that nobody has asked for yet.
    const { site_key_hash: unread } = await at.shop();
    const card = `${server.url}/v1/agent-card/${unread}.json`;
    const { id } = await at.ready(shop);
    const requests: Readonly<Record<string, () => Promise<unknown>>> = {
      "GET card": async () => expect((await fetch(card)).status).toBe(200),
      "POST mandate": async () =>
        expect((await at.order(shop, buyer)).body.outcome).toBe("approved"),
      "MCP call that pays": async () => {
        const mandate = await at.signed(shop, buyer, { protocol: "mcp" });
        const args = { ...(cart().arguments as object), mandate };
        const { result } = await at.callTool(shop, args);
        expect(result.structuredContent.outcome).toBe("approved");
      },
      "UCP complete": async () =>
        expect((await at.complete(shop, id)).body.status).toBe("completed"),
      "Audit export": async () => {
        const day = new Date(NOON).toISOString().slice(0, 10);
        const { text } = await exportPart(server, exportPath(shop.site_key_hash, { day }));
        expect(text).toContain("mandate.decision");
      },
    };
    for (const [name, request] of Object.entries(requests)) {
      executed.set(name, await executedFiles(request));
    }
    return close;
  });

  test("are the five that are sent here", () => {
    expect([...documented.keys()]).toEqual(Object.keys(STEPS_MAX));
  });

  describe.each(Object.entries(STEPS_MAX))("%s", (name, most) => {
    const steps = documented.get(name) ?? [];

    test(`has at most ${most} steps and none twice`, () => {
      expect(steps.length).toBeGreaterThan(2);
      expect(steps.length).toBeLessThanOrEqual(most);
      expect(new Set(steps).size).toBe(steps.length);
    });

    test("runs every step that is listed", () => {
      expect(steps.filter((step) => !executed.get(name)?.includes(step))).toEqual([]);
    });

    test("reaches every step from an earlier one", () => {
      const unreached = steps.filter(
        (step, i) => i > 0 && !steps.slice(0, i).some((earlier) => leadsTo(earlier, step)),
      );
      expect(unreached).toEqual([]);
    });

    test("leaves out no file that leads to a step", () => {
      // A bundle that an earlier test has loaded into this process is no source.
      const others =
        executed.get(name)?.filter((path) => sources.has(path) && !steps.includes(path)) ?? [];
      const leading = others
        .filter((path) => !SHARED.test(path))
        .flatMap((path) => steps.filter((step) => calls(path, step)).map((to) => [path, to]));
      expect(leading).toEqual([]);
    });

    test("settles nothing in http", () => {
      const http = steps.filter((step) => step.startsWith("http/"));
      expect(http.filter((step) => calls(step, "purchase/settle.ts"))).toEqual([]);
    });
  });
});

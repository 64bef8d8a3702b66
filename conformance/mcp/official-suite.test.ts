import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
} from "../../packages/server/test/harness.ts";
import { newerNode, officialMcpTools } from "../outside/fetched.ts";
import { FIXTURE_TOOLS } from "./fixture-tools.ts";

const run = promisify(execFile);
const RUN_MS_MAX = 300_000;

/** Asked for by the release tier and `npm run conformance`: these tools weigh 200 MB. */
const asked = process.env.OUTSIDE_TOOLS === "fetch";
const OUTPUT = { maxBuffer: 64 * 1024 * 1024, timeout: RUN_MS_MAX };

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Failures by scenario and check, as the suite has written them down. */
function failuresIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const scenario = name.replace(/^server-(.*?)-\d{4}-\d{2}-\d{2}T.*$/, "$1");
    const checks = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[];
    return checks.flatMap(({ id, status }) => (status === "FAILURE" ? `${scenario} ${id}` : []));
  });
}

/** What README.md says does not apply. */
function excused(): string[] {
  const text = readFileSync(new URL("README.md", import.meta.url), "utf8");
  return [...text.matchAll(/^\| `([^`]+)` *\| `([^`]+)` *\| \S.* \|$/gm)].map(
    ([, scenario, check]) => `${scenario} ${check}`,
  );
}

describe.skipIf(!asked)("the official tools:", { timeout: RUN_MS_MAX }, () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-mcp-suite-"));
  let url = "";
  beforeAll(async () => {
    const limits = {
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
      GATEHOUSE_MCP_CALLS_PER_ADDRESS_PER_MINUTE: "100000",
      GATEHOUSE_MCP_CALLS_PER_SITE_PER_MINUTE: "100000",
      GATEHOUSE_MCP_SESSIONS_PER_ADDRESS_PER_MINUTE: "100000",
    };
    const env = { ...(await freshEnvironment("sqlite")), ...limits };
    const server = await startServer(env, { fixtureTools: FIXTURE_TOOLS });
    const site = await createSite(server, "shop.example.com");
    url = `http://localhost:${server.port}/v1/mcp/${site.site_key}`;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cleanUp();
  });

  test("the conformance suite reports only the failures that are excused, and all of those", async (context) => {
    const [home, node] = await Promise.all([officialMcpTools(), newerNode()]);
    if (home === undefined || node === undefined) {
      return context.skip("the MCP conformance suite cannot be fetched here");
    }
    const suite = join(home, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const found = new Set<string>();
    for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"]) {
      const out = join(folder, revision);
      const args = ["--suite", "all", "--spec-version", revision, "-o", out];
      // Its exit code says that something failed; what, is in its files.
      await run(node, [suite, "server", "--url", url, ...args], OUTPUT).catch(() => undefined);
      expect(readdirSync(out).length).toBeGreaterThan(20);
      for (const failure of failuresIn(out)) found.add(failure);
    }
    expect([...found].sort()).toEqual(excused().sort());
  });

  test("the inspector lists the tools and calls one", async (context) => {
    const home = await officialMcpTools();
    if (home === undefined) return context.skip("the MCP inspector cannot be fetched here");
    const inspector = join(home, "node_modules/inspector/cli/build/cli.js");
    const inspect = async (...args: readonly string[]) => {
      const asked = ["--cli", url, "--transport", "http", ...args];
      const { stdout } = await run(process.execPath, [inspector, ...asked], OUTPUT);
      return JSON.parse(stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    const names = FIXTURE_TOOLS.map(({ definition }) => definition.name);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(names);
    const result = await inspect("--method", "tools/call", "--tool-name", "test_simple_text");
    expect(result.content[0].text).toMatch(/simple text/);
  });
});

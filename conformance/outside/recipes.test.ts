import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { verifiedSite } from "./site.ts";

const guide = readFileSync(
  fileURLToPath(new URL("../../docs/guide/verify.md", import.meta.url)),
  "utf8",
);
const folder = mkdtempSync(join(tmpdir(), "gatehouse-recipes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program of the guide in one language, exactly as a reader would copy it. */
function program(language: string): string {
  const named = String.raw`(?:#|//) verify\.${language === "python" ? "py" : language}\n`;
  const [, code] =
    new RegExp(`\n\`\`\`${language}\n(${named}[\\s\\S]*?)\n\`\`\`\n`).exec(guide) ?? [];
  if (code === undefined) throw new Error(`the guide has no program in ${language}`);
  return `${code}\n`;
}

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const PROGRAMS = [
  {
    language: "ts",
    checks: 7,
    there: true,
    command: process.execPath,
    file: "verify.mjs",
    text: () => transformSync(program("ts"), { loader: "ts", format: "esm" }).code,
  },
  {
    language: "python",
    checks: 5,
    there: works("python3", "-c", "import cryptography"),
    command: "python3",
    file: "verify.py",
    text: () => program("python"),
  },
  {
    language: "sh",
    checks: 6,
    there:
      works("sh", "-c", "openssl version | grep -q '^OpenSSL 3'") && works("curl", "--version"),
    command: "sh",
    file: "verify.sh",
    text: () => program("sh"),
  },
];

interface Ran {
  readonly code: number;
  readonly failed: readonly string[];
  readonly held: number;
}

function run({ command, file }: (typeof PROGRAMS)[number], urls: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, [join(folder, file), ...urls], (error, stdout) => {
      const lines = stdout.trim().split("\n");
      resolve({
        code: error === null ? 0 : Number(error.code),
        failed: lines.filter((line) => line.startsWith("FAIL")).map((line) => line.slice(5)),
        held: lines.filter((line) => line.startsWith("ok")).length,
      });
    });
  });
}

/** Plays the service with documents somebody has changed on the way. */
async function changed(change: (path: string, body: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    const answer = await fetch(inject("target").url + url);
    response.end(change(url, await answer.text()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(PROGRAMS)("the guide's program in $language", (one) => {
  let paths: string[] = [];
  beforeAll(async () => {
    writeFileSync(join(folder, one.file), one.text());
    const site = await verifiedSite({ name: 'Fougère "&" </script> \u{1f337} עלה' });
    paths = [site.paths.card, site.paths.catalog, "/.well-known/jwks.json"];
    return async () => void (await site.done());
  });
  const at = (base: string) => paths.map((path) => base + path);

  test.skipIf(!one.there)("verifies a card and a catalog", async () => {
    const ran = await run(one, at(inject("target").url));
    expect(ran).toEqual({ code: 0, failed: [], held: one.checks });
  });

  test.skipIf(!one.there)("finds a changed word in the card", async () => {
    const base = await changed((_url, body) => body.replace('"Get pricing"', '"Get priced"'));
    expect(await run(one, at(base))).toMatchObject({ code: 1, failed: ["card signature"] });
  });

  test.skipIf(!one.there)("refuses a card with a duplicate member", async () => {
    const base = await changed((url, body) =>
      url.includes("agent-card") ? body.replace('"name":', '"name":"Evil","name":') : body,
    );
    expect((await run(one, at(base))).code).not.toBe(0);
  });

  test.skipIf(!one.there)("finds a changed word in the manifest", async () => {
    const base = await changed((_url, body) =>
      body.replaceAll('"identityType":"did"', '"identityType":"dud"'),
    );
    expect(await run(one, at(base))).toMatchObject({ code: 1, failed: ["catalog signature"] });
  });

  test.skipIf(!one.there)("finds a host that the manifest does not name", async () => {
    const base = await changed((_url, body) =>
      body.replace(/("host":\{.*?"identifier":"did:web:)/, "$1evil."),
    );
    expect(await run(one, at(base))).toMatchObject({ code: 1, failed: ["catalog identity"] });
  });

  test.skipIf(!one.there)("finds keys that are not the service's", async () => {
    const other = "A".repeat(43);
    const base = await changed((_url, body) =>
      body.replaceAll(/"x":"[^"]*"/g, () => `"x":"${other}"`),
    );
    const { code, failed } = await run(one, at(base));
    expect([code, failed]).toEqual([1, ["card signature", "catalog signature"]]);
  });

  test.skipIf(!one.there)("runs nothing from a hostile key id", async () => {
    const mark = join(folder, "steered");
    const base = await changed((_url, body) =>
      body.replace(
        /"signing_key_id":"[^"]*"/,
        () => `"signing_key_id":"x/;w ${mark}\\n;e touch ${mark};/"`,
      ),
    );
    const ran = await run(one, at(base));
    expect([ran.code, ran.failed[0]]).toEqual([1, "card signature"]);
    expect(works("test", "-e", mark)).toBe(false);
  });
});

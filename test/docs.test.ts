import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type JsonObject,
  policyFindings,
  REASONS,
  type ReasonCode,
  readPolicy,
  reasonDocsSlug,
} from "@gatehouse/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../packages/server/src/infra/db/migrate.ts";
import { VERSION } from "../packages/server/src/version.ts";
import { filesWithVersion } from "../scripts/release/version.mjs";
import { root } from "./source.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const codes = Object.keys(REASONS) as ReasonCode[];

describe("the error pages:", () => {
  test("there is one for every reason, and for nothing else", () => {
    const pages = readdirSync(join(root, "docs/errors")).filter((name) => name !== "README.md");
    expect(pages.sort()).toEqual(codes.map((code) => `${reasonDocsSlug(code)}.md`).sort());
  });

  test.each(codes)("the page of %s has its status and its public sentence", (code) => {
    const page = read(`docs/errors/${reasonDocsSlug(code)}.md`);
    const { status, message } = REASONS[code];
    expect(page).toContain(`# \`${code}\``);
    expect(page).toContain(String(status));
    expect(page).toContain(message);
  });
});

function* markdownFiles(folder: string): Generator<string> {
  const skip = new Set(["node_modules", ".git", "dist", "assets"]);
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (skip.has(entry.name)) continue;
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* markdownFiles(path);
    else if (entry.name.endsWith(".md")) yield path;
  }
}

test("links between documents work", () => {
  const broken: string[] = [];
  for (const file of markdownFiles(".")) {
    const links = [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)];
    for (const [, link = ""] of links) {
      const target = join(file, "..", link);
      try {
        readdirSync(join(root, target));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ENOTDIR") broken.push(`${file} → ${link}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test("every policy in the guides can be published without warnings", () => {
  const found = [...markdownFiles("docs/guide")].flatMap((file) =>
    [...read(file).matchAll(/```json\n([^`]*)```/g)]
      .map(([, text = ""]) => JSON.parse(text) as JsonObject)
      .filter(({ policy }) => policy === "rules/1")
      .map((document) => {
        const policy = readPolicy(document);
        return [file, policy.ok ? policyFindings(policy.value) : policy.detail];
      }),
  );
  expect(found).toEqual([
    ["docs/guide/mandates.md", []],
    ["docs/guide/policy.md", []],
  ]);
});

test("docs/dependencies.md lists every dependency with its exact version, and nothing else", () => {
  const manifests = [
    "package.json",
    ...["packages", "examples"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
  ];
  const used = manifests.flatMap((path) => {
    const manifest = JSON.parse(read(path));
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides };
    return Object.entries<string>(all)
      .filter(([name]) => !name.startsWith("@gatehouse/"))
      .map(([name, version]) => `${name} ${version}`);
  });
  const rows = read("docs/dependencies.md").matchAll(/^\| `([^`]+)` (\S+)/gm);
  const listed = [...rows].map(([, name, version]) => `${name} ${version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(used)].sort());
});

test("packages that several dependencies share have one version", () => {
  const { overrides } = JSON.parse(read("package.json")) as { overrides: Record<string, string> };
  const pinned = readdirSync(join(root, "packages")).flatMap((name) => {
    const path = `packages/${name}/package.json`;
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path));
    return Object.entries<string>({ ...dependencies, ...devDependencies });
  });
  // Of two copies of these, the types or the state of one would be strange to the other.
  for (const shared of ["@types/react", "hono", "pg", "react", "react-dom", "zod"]) {
    const versions = pinned.filter(([name]) => name === shared).map(([, version]) => version);
    expect([shared, [...new Set(versions)]]).toEqual([shared, [overrides[shared]]]);
  }
});

describe("the version of the release", () => {
  const SCRIPT = join(root, "scripts/release/version.mjs");
  const NEXT = "9.8.7";
  const copy = mkdtempSync(join(tmpdir(), "gatehouse-version-"));
  afterAll(() => rmSync(copy, { recursive: true }));
  const files = Object.entries(filesWithVersion());

  function version(...words: string[]): { status: number | null; wrong: string[] } {
    const run = spawnSync(process.execPath, [SCRIPT, ...words], { cwd: copy, encoding: "utf8" });
    return { status: run.status, wrong: run.stderr.split("\n").filter((line) => line !== "") };
  }

  beforeAll(() => {
    for (const path of [...files.map(([path]) => path), "CHANGELOG.md"]) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
  });

  test("is the same in all packages, in the plugin for WordPress and in every text that names it", () => {
    const named = files.flatMap(([path, patterns]) =>
      patterns.flatMap((pattern) => {
        const versions = read(path).match(pattern) ?? ["none"];
        return versions.map((one) => `${path}: ${one}`);
      }),
    );
    expect(named.filter((one) => !one.endsWith(`: ${VERSION}`))).toEqual([]);
    // A text that is not in the list would keep the old version.
    const found = execFileSync("git", ["grep", "-lE", `gatehouse[a-z{},-]*[-:/]${VERSION}`], {
      cwd: root,
      encoding: "utf8",
    });
    const known = new Set([...files.map(([path]) => path), "CHANGELOG.md"]);
    expect(
      found
        .trim()
        .split("\n")
        .filter((path) => !known.has(path)),
    ).toEqual([]);
  });

  test("is set in all of them, and refused where one or a changelog was missed", () => {
    expect(version("--check", VERSION)).toEqual({ status: 0, wrong: [] });
    const { wrong } = version(NEXT);
    const changelogs = ["CHANGELOG.md", "packages/wordpress/gatehouse/readme.txt"];
    expect(wrong).toEqual(changelogs.map((path) => `${path} has no section ${NEXT}`));
    expect(version("--check", NEXT)).toEqual({ status: 1, wrong });

    const header = join(copy, "packages/wordpress/gatehouse/gatehouse.php");
    const text = readFileSync(header, "utf8");
    writeFileSync(header, text.replace(NEXT, VERSION));
    const before = "packages/wordpress/gatehouse/gatehouse.php";
    expect(version("--check", NEXT).wrong).toContain(`${before} has another version than ${NEXT}`);
    writeFileSync(header, text.replace(/^ \* Version: .*$/m, ""));
    expect(version("--check", NEXT).wrong).toContain(
      `${before} does not name the version where it should`,
    );
  });
});

test("generated reference pages are up to date: run `npm run docs`", () => {
  // By Node itself: it loads the whole service, which is slow where every file is looked into first.
  const made = execFileSync(process.execPath, ["scripts/docs.mjs", "--json"], {
    cwd: root,
    encoding: "utf8",
  });
  const pages = Object.entries<string>(JSON.parse(made));
  const names = readdirSync(join(root, "docs/reference")).map((name) => `docs/reference/${name}`);
  expect(pages.map(([path]) => path).sort()).toEqual(names.sort());
  for (const [path, text] of pages) expect([path, read(path)]).toEqual([path, text]);
});

test("the changelog names the schema that this version changes the database to", () => {
  const [, newest = ""] = /\n## (?:\S+)\n([\s\S]*?)(?=\n## |$)/.exec(read("CHANGELOG.md")) ?? [];
  expect(/changes the database to schema (\d+)\./.exec(newest)?.[1]).toBe(String(SCHEMA_VERSION));
});

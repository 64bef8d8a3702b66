import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type JsonObject,
  policyFindings,
  REASONS,
  type ReasonCode,
  readPolicy,
  reasonDocsSlug,
} from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../packages/server/src/infra/db/migrate.ts";
import { VERSION } from "../packages/server/src/version.ts";
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

test("every dependency is named in docs/dependencies.md with its exact version", () => {
  const page = read("docs/dependencies.md");
  const manifests = [
    "package.json",
    ...["packages", "examples"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
  ];
  const missing = manifests.flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path));
    return Object.entries<string>({ ...dependencies, ...devDependencies })
      .filter(([name]) => !name.startsWith("@gatehouse/"))
      .filter(([name, version]) => !page.includes(`\`${name}\` ${version}`))
      .map(([name, version]) => `${name} ${version}`);
  });
  expect([...new Set(missing)]).toEqual([]);
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

test("all packages have the same version", () => {
  for (const name of readdirSync(join(root, "packages"))) {
    expect(JSON.parse(read(`packages/${name}/package.json`)).version).toBe(VERSION);
  }
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

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "vite";
import { root } from "../source.ts";

/** The folder of the npm package that a file belongs to. */
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
/** esbuild writes the name of each file over its code. */
const BUNDLED_FILE = /^ *\/\/ (\S*node_modules\/\S+)$/gm;
/** Tailwind's style sheet begins with its name and version. */
const STYLES = /\/\*! (\S+) v(\S+) /g;
/** The native parts of SQLite, whose names do not say where they come from. */
const NATIVE = { "dist/prebuilds": "node_modules/@photostructure/sqlite/prebuilds/" };

interface Found {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

function filesIn(folder: string, extension: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name));
}

/** The files that the bundles of a package name themselves. */
function bundledFiles(installed: string): string[] {
  const folders = ["dist/bundle", "dist/demo"].map((name) => join(installed, name));
  const bundles = folders.flatMap((folder) => filesIn(folder, ".js"));
  return bundles.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(BUNDLED_FILE)].map(([, name = ""]) => name),
  );
}

/**
 * What the console is made of, by its source maps and by the comments of its style sheet. The released one
 * has neither, so it is built again.
 */
async function consoleParts(): Promise<{ files: string[]; styles: Found[] }> {
  const outDir = mkdtempSync(join(tmpdir(), "gatehouse-console-"));
  try {
    const options = { outDir, emptyOutDir: true, sourcemap: true, minify: false };
    await build({ root: join(root, "packages/console"), logLevel: "warn", build: options });
    const files = filesIn(outDir, ".js.map").flatMap((map) => {
      const { sources } = JSON.parse(readFileSync(map, "utf8")) as { sources: string[] };
      return sources.map((source) => relative(root, resolve(dirname(map), source)));
    });
    const css = filesIn(outDir, ".css").map((file) => readFileSync(file, "utf8"));
    const styles = [...css.join("\n").matchAll(STYLES)].map(([, name = "", version = ""]) => ({
      name,
      version,
      folder: `node_modules/${name}`,
    }));
    return { files, styles };
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

function packageIn(folder: string): Found {
  const text = readFileSync(join(root, folder, "package.json"), "utf8");
  return { ...(JSON.parse(text) as Pick<Found, "name" | "version">), folder };
}

/**
 * Every package with code, styles or native parts in an installed `gatehouse`, as `name@version digest`. It is
 * found without the list that the package brings.
 */
export async function packagesInside(installed: string): Promise<string[]> {
  const { files, styles } = await consoleParts();
  const native = Object.entries(NATIVE).filter(([place]) => existsSync(join(installed, place)));
  const all = [...bundledFiles(installed), ...files, ...native.map(([, file]) => file)];
  const folders = new Set(all.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? []));
  const { packages: locked } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = [...[...folders].map(packageIn), ...styles].map(({ name, version, folder }) => {
    const entry = locked[folder];
    if (entry?.version !== version) throw new Error(`${name}@${version} is not what is locked`);
    return `${name}@${version} ${entry.integrity}`;
  });
  return [...new Set(found)].sort();
}

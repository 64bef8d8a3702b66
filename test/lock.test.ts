import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./source.ts";

type Versions = Readonly<Record<string, string>>;

const KINDS = ["dependencies", "devDependencies", "optionalDependencies"] as const;
type Manifest = Readonly<Partial<Record<(typeof KINDS)[number], Versions>>>;

interface Locked extends Manifest {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  /** It comes inside the tarball of another package. */
  readonly inBundle?: boolean;
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const locked: Readonly<Record<string, Locked>> = read("package-lock.json").packages;

const MODULES = "node_modules/";

/** What Node.js finds if a package at this path imports a name: beside it, or in a folder above. */
function resolveFrom(path: string, name: string): Locked | undefined {
  const here = locked[join(path, MODULES, name)];
  if (here !== undefined || path === "") return here;
  const end = path.lastIndexOf(`/${MODULES}`);
  return resolveFrom(end < 0 ? "" : path.slice(0, end), name);
}

describe("package-lock.json", () => {
  test("lists every platform of every optional package and matches package.json", () => {
    const optional = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ path, name })),
    );
    // esbuild alone has one for each of more than twenty platforms.
    expect(optional.length).toBeGreaterThan(100);
    const missing = optional.filter(({ path, name }) => resolveFrom(path, name) === undefined);
    expect(missing).toEqual([]);

    const workspaces = Object.keys(locked).filter((path) => !path.includes(MODULES));
    const differing = workspaces.filter((path) => {
      const manifest: Manifest = read(join(path, "package.json"));
      return KINDS.some(
        (kind) =>
          JSON.stringify(manifest[kind] ?? {}) !== JSON.stringify(locked[path]?.[kind] ?? {}),
      );
    });
    expect(differing).toEqual([]);
  });

  test("has the digest of every package, and the address of none", () => {
    const fetched = Object.entries(locked).filter(
      ([path, { link, inBundle }]) => path.includes(MODULES) && link !== true && inBundle !== true,
    );
    expect(fetched.length).toBeGreaterThan(500);
    expect(fetched.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

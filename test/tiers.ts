import { readdirSync, readFileSync } from "node:fs";
import { shareOf } from "./share.ts";

/** Programs of other people that take minutes: `npm run conformance` and `npm run test:long -- outside` run them. */
const OUTSIDE = [
  /^conformance\/outside\/(?:fetched-tools|mcp-clients|spck|ucp-cli|ucp-cli-woocommerce)\.test/,
];
/**
 * What every run of the release tier takes: the product as it is released, installed and served, the guides as
 * a reader follows them, and a purchase at a real shop.
 */
const RELEASE = [
  /^test\/release\/(?:one-package|packages|proxies|upgrade)/,
  /^test\/guides\.test/,
  /^packages\/wordpress\/test\/journey\.test/,
];
/**
 * What takes turns in the release tier: processes that are killed at every named point, exhaustive checks, what
 * people do on the pages of the console, other runtimes, and what one database repeats of the other.
 */
const IN_TURN = [
  /^conformance\/(?:audit\/tamper|mcp\/official-suite|outside\/recipes)\.test/,
  /^packages\/\w+\/test\/.*crash\.test/,
  /^packages\/cli\/test\/(?:connector-check|init|reference|serve|workers)\.test/,
  /^packages\/console\/test\/(?!sign-in\.test)/,
  /^packages\/edge\/test\/worker\.test/,
  /^packages\/protocol\/test\/node\/runtimes\.test/,
  /^packages\/server\/test\/(?:admission\/bodies|maintenance|payments\/stripe-pages-lost)\.test/,
  /^packages\/server\/test\/(?:audit\/html-\w+|docs-html|docs-pages|orders\/mail|ucp\/page)\.test/,
  /^packages\/server\/test\/selling\/(?:declines|failure-schedules)\.test/,
  /^packages\/wordpress\/test\//,
  /^test\/release\//,
];

/** Every test file below a folder, as a path from the root of the repository. */
function testsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && name !== "dist")
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return testsIn(path);
      return path.endsWith(".test.ts") ? [path] : [];
    });
}

const packages = readdirSync("packages").map((name) => `packages/${name}`);
const all = [...packages, "test", "conformance"].flatMap(testsIn);
const among = (patterns: readonly RegExp[]) => (file: string) =>
  patterns.some((pattern) => pattern.test(file));
const release = all.filter(among(RELEASE));
const inTurn = all.filter((file) => among(IN_TURN)(file) && !release.includes(file));
const later = new Set([...all.filter(among(OUTSIDE)), ...release, ...inTurn]);
const short = all.filter((file) => !later.has(file));
/** `npm test` runs them on SQLite alone. */
const onTheOtherDatabase = short.filter((file) =>
  readFileSync(file, "utf8").includes("TIER_DATABASES"),
);

/** The files of a tier. `RELEASE_SHARE=2/12` takes the second of twelve shares of what takes turns; without it, all. */
export const filesOf = {
  short: () => short,
  release: () => [
    ...release,
    ...shareOf([...inTurn, ...onTheOtherDatabase], process.env.RELEASE_SHARE),
  ],
};

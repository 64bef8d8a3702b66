/**
 * `node scripts/release/version.mjs 0.2.0` sets the version everywhere it is written. `--check 0.2.0` fails if it is
 * another one somewhere, or if a changelog does not have it. Both work on the repository in the current folder.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const NUMBER = "\\d+\\.\\d+\\.\\d+(?:-[a-z]+\\.\\d+)?";
/** A pattern that holds the version where `V` is. */
const where = (text) => new RegExp(text.replace(/^(.*)V(.*)$/s, `(?<=$1)${NUMBER}(?=$2)`), "gm");

/** Its own version, and those of our other packages. */
const MANIFEST = [where('^ {2}"version": "V"')];
const OUR_PACKAGES = where('"@gatehouse/[\\w-]+": "V"');
/** Files of the release, images, and folders that are named after a release. */
const NAMED = where("\\bgatehouse(?:-[a-z]+)*(?:-\\{[a-z,-]+\\})?[-:/]V");
const PLUGIN = "packages/wordpress/gatehouse";

/** Texts that name the version. Each pattern must be found. */
const TEXTS = {
  "packages/server/src/version.ts": [where('VERSION = "V"')],
  "examples/ucp-buyer/buy.js": [where('version: "V"')],
  [`${PLUGIN}/gatehouse.php`]: [where("^ \\* Version: +V$")],
  [`${PLUGIN}/readme.txt`]: [where("^Stable tag: V$")],
  [`${PLUGIN}/includes/class-plugin.php`]: [where("VERSION = 'V'")],
  [`${PLUGIN}/languages/gatehouse.pot`]: [where("Gatehouse V")],
  "docs/releases.md": [NAMED, where("[`:]vV"), where("version\\.mjs V")],
  "README.md": [NAMED],
  "deploy/Dockerfile": [NAMED],
  "deploy/compose.yaml": [NAMED],
  "deploy/compose.postgres.yaml": [NAMED],
  "deploy/kubernetes.yaml": [NAMED],
  "docs/guide/agent-developer.md": [NAMED],
  "docs/guide/install.md": [NAMED],
  "docs/guide/mandates.md": [NAMED],
  "docs/guide/wordpress.md": [NAMED],
  "docs/operations/backup.md": [NAMED],
  "docs/operations/one-machine.md": [NAMED],
  "docs/operations/upgrade.md": [NAMED],
  "examples/agent-buyer/README.md": [NAMED],
  "examples/express-site/README.md": [NAMED],
  "examples/worker-site/README.md": [NAMED],
  "packages/agent/README.md": [NAMED],
  "release/gatehouse/README.md": [NAMED],
};
/** What a person writes: the heading of a version. */
const CHANGELOGS = {
  "CHANGELOG.md": (version) => `\n## ${version}`,
  [`${PLUGIN}/readme.txt`]: (version) => `\n= ${version} =\n`,
};

function manifests() {
  const folders = ["packages", "examples"].flatMap((folder) =>
    readdirSync(folder).map((name) => `${folder}/${name}`),
  );
  return [
    "package.json",
    ...[...folders, "release/gatehouse"].map((path) => `${path}/package.json`),
  ].filter((path) => existsSync(path));
}

/** Files with the version in them, by path, each with the patterns that find it. */
export function filesWithVersion() {
  return { ...Object.fromEntries(manifests().map((path) => [path, MANIFEST])), ...TEXTS };
}

/** Sets the version in a file, or only compares it. Returns what is wrong. */
function apply(file, patterns, wanted, isCheck) {
  const before = readFileSync(file, "utf8");
  const missed = patterns.filter((pattern) => before.search(pattern) < 0);
  if (missed.length > 0) return [`${file} does not name the version where it should`];
  const all = file.endsWith("package.json") ? [...patterns, OUR_PACKAGES] : patterns;
  const after = all.reduce((text, pattern) => text.replace(pattern, wanted), before);
  if (isCheck && before !== after) return [`${file} has another version than ${wanted}`];
  if (before !== after) writeFileSync(file, after);
  return [];
}

function main([first, second]) {
  const isCheck = first === "--check";
  const wanted = isCheck ? second : first;
  if (!new RegExp(`^${NUMBER}$`).test(wanted ?? ""))
    throw new Error("name a version such as 0.2.0");
  const wrong = Object.entries(filesWithVersion()).flatMap(([file, patterns]) =>
    apply(file, patterns, wanted, isCheck),
  );
  for (const [file, heading] of Object.entries(CHANGELOGS)) {
    if (!readFileSync(file, "utf8").includes(heading(wanted))) {
      wrong.push(`${file} has no section ${wanted}`);
    }
  }
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
  if (!isCheck) console.log("Now run `npm install --package-lock-only`, and write the changelogs.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv.slice(2));

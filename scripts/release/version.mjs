/**
 * `node scripts/release/version.mjs 0.2.0` sets the version everywhere it is written. `--check 0.2.0` fails if it is
 * another one somewhere, or if the changelog does not have it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const manifests = [
  "package.json",
  "release/gatehouse/package.json",
  ...["packages", "examples"].flatMap((folder) =>
    readdirSync(folder).map((name) => `${folder}/${name}/package.json`),
  ),
];
/** Texts that name the file or the image of this version. */
const TEXTS = [
  "packages/server/src/version.ts",
  "deploy/Dockerfile",
  "deploy/compose.yaml",
  "deploy/kubernetes.yaml",
  "deploy/compose.postgres.yaml",
  "docs/operations/one-machine.md",
  "release/gatehouse/README.md",
];

const current = JSON.parse(readFileSync("package.json", "utf8")).version;
const [first, second] = process.argv.slice(2);
const isCheck = first === "--check";
const wanted = isCheck ? second : first;
if (!VERSION.test(wanted ?? "")) throw new Error("name a version such as 0.2.0");

function changed(file) {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith("package.json")) return [text, text.replaceAll(current, wanted)];
  // Its own version, and those of our other packages.
  const own = text.replace(/^( {2}"version": )"[^"]+"/m, `$1"${wanted}"`);
  return [text, own.replace(/("@gatehouse\/[\w-]+": )"\d[^"]*"/g, `$1"${wanted}"`)];
}

const wrong = [];
for (const file of [...manifests, ...TEXTS]) {
  const [before, after] = changed(file);
  if (isCheck && before !== after) wrong.push(`${file} has another version than ${wanted}`);
  if (!isCheck && before !== after) writeFileSync(file, after);
}
if (!readFileSync("CHANGELOG.md", "utf8").includes(`\n## ${wanted}`)) {
  wrong.push(`CHANGELOG.md has no section ${wanted}`);
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
if (!isCheck) console.log("Now run `npm install --package-lock-only`, and write the changelog.");

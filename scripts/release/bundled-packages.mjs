import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The folder of the npm package that a file belongs to; undefined for our own files. */
function packageFolder(root, file) {
  const at = file.lastIndexOf("node_modules/");
  if (at < 0) return undefined;
  const [first, second] = file.slice(at + "node_modules/".length).split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  return join(root, file.slice(0, at), "node_modules", name);
}

function licencesIn(folder) {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort();
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/** What stands in package-lock.json about each installed folder. */
function lockedPackages(root) {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
}

/**
 * The npm packages inside the release, by the files that are in it. Their versions and digests are those of
 * package-lock.json.
 */
export function bundledPackages(root, bundledFiles) {
  const locked = lockedPackages(root);
  const folders = new Set(bundledFiles.map((file) => packageFolder(root, file)));
  folders.delete(undefined);
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    const entry = locked[folder.slice(root.length)];
    if (entry?.version !== version) throw new Error(`${name} ${version} is not what is locked`);
    const { integrity } = entry;
    return { name, version, license, integrity, licences: licencesIn(folder) };
  });
  const key = ({ name, version }) => `${name}@${version}`;
  const unique = new Map(packages.map((one) => [key(one), one]));
  return [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

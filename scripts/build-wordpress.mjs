/**
 * `npm run build:wordpress` writes the lists that the WordPress plugin shares with the protocol package and the file
 * for its translators, and packs the plugin as a zip that WordPress installs. The same source makes the same bytes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  currencyCodes,
  KNOWN_AGENTS,
  minorUnitDigits,
  OWN_DOMAIN_PATHS,
  SITE_PATHS,
  SITE_VERIFICATION,
} from "@gatehouse/protocol";
import { pluginPot } from "./wordpress-pot.mjs";
import { zipOf } from "./zip.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = join(root, "packages/wordpress");
const plugin = join(home, "gatehouse");
const TABLES = join(plugin, "includes/tables.php");
const POT = join(plugin, "languages/gatehouse.pot");

/** Digits of most currencies, which the list leaves out. */
const USUAL_DIGITS = 2;

const quoted = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;

/** The lists as a PHP file. */
export function pluginTables() {
  const paths = Object.keys(OWN_DOMAIN_PATHS);
  const width = Math.max(...paths.map((path) => path.length));
  const documents = paths.map((path) => {
    const name = OWN_DOMAIN_PATHS[path];
    const key = quoted(path).padEnd(width + 2);
    return `\t\t${key} => array( ${quoted(name)}, ${quoted(SITE_PATHS[name])} ),`;
  });
  const agents = KNOWN_AGENTS.map(({ name }) => `\t\t${quoted(name)},`);
  const currencies = currencyCodes()
    .filter((code) => minorUnitDigits(code) !== USUAL_DIGITS)
    .map((code) => `\t\t${quoted(code)} => ${minorUnitDigits(code)},`);
  return [
    "<?php",
    "/**",
    " * Lists of the protocol package, written by `npm run build:wordpress`.",
    " *",
    " * @package Gatehouse",
    " */",
    "",
    "declare( strict_types=1 );",
    "",
    "defined( 'ABSPATH' ) || exit;",
    "",
    "return array(",
    "\t'documents'         => array(",
    ...documents,
    "\t),",
    `\t'verification_path' => ${quoted(SITE_VERIFICATION.filePath)},`,
    "\t'agents'            => array(",
    ...agents,
    "\t),",
    "\t'currency_digits'   => array(",
    ...currencies,
    "\t),",
    ");",
    "",
  ].join("\n");
}

/** The plugin as a zip, as WordPress installs it. */
export function pluginZip() {
  const names = readdirSync(plugin, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  const files = names.map((name) => ({ name, bytes: readFileSync(join(home, name)) }));
  const license = { name: "gatehouse/LICENSE", bytes: readFileSync(join(root, "LICENSE")) };
  return zipOf([...files, license]);
}

/** Puts the zip into a folder, and returns the name of the file. */
export function packPlugin(to) {
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const name = `gatehouse-wordpress-${version}.zip`;
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, name), pluginZip());
  return name;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(TABLES, pluginTables());
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  mkdirSync(dirname(POT), { recursive: true });
  writeFileSync(POT, pluginPot(plugin, version));
  const to = join(home, "dist");
  console.log(join(to, packPlugin(to)));
}

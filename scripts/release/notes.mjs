/** `node scripts/release/notes.mjs 0.2.0` prints the notes of a release: its section of the changelog. */
import { readFileSync } from "node:fs";

const [version] = process.argv.slice(2);
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
const section = sections.find((text) => text.split("\n")[0]?.split(" ")[0] === version);
if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
const [, ...lines] = section.split("\n");
console.log(lines.join("\n").trim());

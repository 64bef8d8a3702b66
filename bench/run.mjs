/**
 * `npm run bench` measures everything and writes bench/RESULTS.md; `npm run bench -- documents`
 * measures one group and prints it. Every figure stands beside its baseline of the same run, CPU
 * time first: it repeats better than wall time on a busy machine.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";

const GROUPS = [
  "protocol",
  "admission",
  "documents",
  "audit",
  "mcp",
  "beacon",
  "mandates",
  "checkout",
  "decisions",
  "anonymous",
  "nodes",
  "sites",
];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !GROUPS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(", ")}. There are: ${GROUPS.join(", ")}.`);
  process.exit(2);
}

const sections = [];
let missed = false;
for (const name of asked.length === 0 ? GROUPS : asked) {
  const { measure } = await import(`./${name}.mjs`);
  const result = await measure();
  sections.push(...result.lines);
  // A whole run takes the better part of an hour: what is measured is not lost if a later group fails.
  console.log(result.lines.join("\n"));
  missed ||= result.missed;
}

const report = [
  "# Last benchmark\n",
  `\`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ` +
    `${process.platform} ${process.arch}, ${cpus().length} cores. Medians; goals are marked reached or MISSED.\n`,
  ...sections,
].join("\n");
if (asked.length === 0) writeFileSync(new URL("RESULTS.md", import.meta.url), report);
process.exit(missed ? 1 : 0);

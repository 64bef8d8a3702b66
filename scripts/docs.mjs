/** Makes the reference pages; with `--json` it prints them, by their paths, and writes nothing. */
import { writeFileSync } from "node:fs";
import { copyDocs } from "./copy-docs.mjs";
import { generatePages } from "./reference-pages.mjs";

const pages = await generatePages();
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(pages));
} else {
  for (const [path, text] of Object.entries(pages)) {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
  // The service serves a copy, made before these were.
  copyDocs();
}

import { writeFileSync } from "node:fs";
import { generatePages } from "./reference-pages.mjs";

for (const [path, text] of Object.entries(await generatePages())) {
  writeFileSync(path, text);
  console.log(`wrote ${path}`);
}

import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleAuditPage } from "./bundle-audit-page.mjs";
import { bundleConsole } from "./bundle-console.mjs";
import { bundleEmbed } from "./bundle-embed.mjs";
import { bundlePackages } from "./bundle-packages.mjs";
import { copyDocs } from "./copy-docs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Where the server looks for them, from src and from dist alike. */
const folder = fileURLToPath(new URL("../packages/server/dist/assets/", import.meta.url));

mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}audit-page.js`, await bundleAuditPage());
writeFileSync(`${folder}embed.js`, await bundleEmbed());
copyDocs();
await bundlePackages();
// Last: it asks the service, built by now, what its interface is.
await bundleConsole(`${folder}console`);

// Each package is given away by itself, and says by what licence.
for (const name of readdirSync(`${root}packages`)) {
  copyFileSync(`${root}LICENSE`, `${root}packages/${name}/LICENSE`);
}

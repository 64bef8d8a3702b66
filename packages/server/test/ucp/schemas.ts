import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** UCP's own schemas, from beside the repository; absent in a stranger's clone. */
const folder = fileURLToPath(
  new URL("../../../../../shared/schemas/ucp/schemas/", import.meta.url),
);
export const schemasThere = existsSync(folder);

function load(): Ajv2020 | undefined {
  if (!schemasThere) return undefined;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".json")) ajv.addSchema(JSON.parse(readFileSync(join(folder, name), "utf8")));
  }
  return ajv;
}

let loaded: Ajv2020 | undefined;

/** What a value lacks to be what UCP's schema says; nothing where the schemas are not there. */
export function schemaFaults(schema: string, value: unknown): readonly string[] {
  loaded ??= load();
  if (loaded === undefined) return [];
  const check = loaded.getSchema(`https://ucp.dev/schemas/${schema}`);
  if (check === undefined) throw new Error(`UCP has no schema ${schema}`);
  if (check(value) === true) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

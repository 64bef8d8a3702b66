import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** UCP's own schemas, from beside the repository; absent in a stranger's clone. */
const folder = (path: string) =>
  fileURLToPath(new URL(`../../../../../shared/schemas/${path}/`, import.meta.url));
/** Where those of each version are. Both versions have the same ids, so neither sees the other. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "2026-08-25": [folder("ucp/schemas")],
  "2026-04-08": [folder("ucp-2026-04-08/schemas"), folder("ucp-2026-04-08/discovery")],
};
export const schemasThere = Object.values(FOLDERS).flat().every(existsSync);

function load(
  version = LATEST,
  as: (schema: Schema) => Schema = (schema) => schema,
): Ajv2020 | undefined {
  if (!schemasThere) return undefined;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const one of FOLDERS[version] ?? []) {
    for (const name of readdirSync(one, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".json")) continue;
      const schema = as(JSON.parse(readFileSync(join(one, name), "utf8")));
      // Its own id is not where its references are relative to.
      const place = one.endsWith("/discovery/") ? { $id: `${BASE}discovery/${name}` } : {};
      ajv.addSchema({ ...schema, ...place });
    }
  }
  return ajv;
}

const BASE = "https://ucp.dev/";
const LATEST = "2026-08-25";
/** Schemas that stand elsewhere in 2026-04-08. */
const IN_APRIL: Readonly<Record<string, string>> = {
  "common/types/error_response.json": "shopping/types/error_response.json",
};

type Operation = "create" | "update" | "complete";
type Schema = { [name: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What `ucp_request` says of a member in an operation; undefined where it says nothing. */
function rule(member: unknown, operation: Operation): unknown {
  const annotation = isSchema(member) ? member.ucp_request : undefined;
  return isSchema(annotation) ? annotation[operation] : annotation;
}

const MAPS = ["properties", "$defs", "patternProperties"];

/** A schema of answers as it holds for requests: members omitted, wanted or free as annotated. */
function forRequest(value: unknown, operation: Operation): unknown {
  if (Array.isArray(value)) return value.map((one) => forRequest(one, operation));
  if (!isSchema(value)) return value;
  const made: Schema = {};
  for (const [name, inner] of Object.entries(value)) {
    // A map of schemas by name is none itself, whatever its names are.
    made[name] =
      MAPS.includes(name) && isSchema(inner)
        ? Object.fromEntries(
            Object.entries(inner).map(([key, one]) => [key, forRequest(one, operation)]),
          )
        : forRequest(inner, operation);
  }
  if (typeof value.$id === "string") made.$id = requestId(value.$id, operation);
  if (typeof value.$ref === "string" && value.$ref.startsWith("http")) {
    made.$ref = requestId(value.$ref, operation);
  }
  if (!isSchema(value.properties)) return made;
  const rules = Object.entries(value.properties).map(
    ([name, member]) => [name, rule(member, operation)] as const,
  );
  const wanted = (word: string) => rules.filter(([, said]) => said === word).map(([name]) => name);
  const properties = { ...(made.properties as Schema) };
  for (const name of wanted("omit")) delete properties[name];
  const free = [...wanted("omit"), ...wanted("optional")];
  const before = Array.isArray(value.required) ? (value.required as string[]) : [];
  const required = [...before.filter((name) => !free.includes(name)), ...wanted("required")];
  return { ...made, properties, required: [...new Set(required)] };
}

const requestId = (id: string, operation: Operation) =>
  id.replace("https://ucp.dev/schemas/", `https://ucp.dev/${operation}/schemas/`);

const requests = new Map<string, Ajv2020>();

/** What a request lacks to be what UCP's annotated schema says of an operation. */
export function requestFaults(
  schema: string,
  operation: Operation,
  value: unknown,
  version = LATEST,
): readonly string[] {
  if (!schemasThere) return [];
  const key = `${version} ${operation}`;
  const asRequest = (one: Schema) => forRequest(one, operation) as Schema;
  const ajv = requests.get(key) ?? load(version, asRequest) ?? new Ajv2020();
  requests.set(key, ajv);
  const check = ajv.getSchema(`https://ucp.dev/${operation}/schemas/${schema}`);
  if (check === undefined) throw new Error(`UCP has no schema ${schema}`);
  if (check(value) === true) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const loaded = new Map<string, Ajv2020>();

/** The version that an answer says it is in. */
function versionOf(value: unknown): string {
  const { version } = ((value as { ucp?: unknown } | null)?.ucp ?? {}) as { version?: unknown };
  return typeof version === "string" && version in FOLDERS ? version : LATEST;
}

/**
 * What a value lacks to be what UCP's schema of its version says; nothing where the schemas are not there.
 */
export function schemaFaults(schema: string, value: unknown): readonly string[] {
  if (!schemasThere) return [];
  const version = versionOf(value);
  const ajv = loaded.get(version) ?? load(version) ?? new Ajv2020();
  loaded.set(version, ajv);
  const name = version === LATEST ? schema : (IN_APRIL[schema] ?? schema);
  const check = ajv.getSchema(new URL(name, `${BASE}schemas/`).href);
  if (check === undefined) throw new Error(`UCP has no schema ${schema}`);
  if (check(value) === true) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

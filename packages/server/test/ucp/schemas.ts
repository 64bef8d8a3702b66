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

function load(as: (schema: Schema) => Schema = (schema) => schema): Ajv2020 | undefined {
  if (!schemasThere) return undefined;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".json"))
      ajv.addSchema(as(JSON.parse(readFileSync(join(folder, name), "utf8"))));
  }
  return ajv;
}

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

const requests = new Map<Operation, Ajv2020>();

/** What a request lacks to be what UCP's annotated schema says of an operation. */
export function requestFaults(
  schema: string,
  operation: Operation,
  value: unknown,
): readonly string[] {
  if (!schemasThere) return [];
  const ajv =
    requests.get(operation) ?? load((one) => forRequest(one, operation) as Schema) ?? new Ajv2020();
  requests.set(operation, ajv);
  const check = ajv.getSchema(`https://ucp.dev/${operation}/schemas/${schema}`);
  if (check === undefined) throw new Error(`UCP has no schema ${schema}`);
  if (check(value) === true) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
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

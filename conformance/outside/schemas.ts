import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/**
 * Other people's schemas, read from beside the repository and never committed. Absent in a
 * stranger's clone: the tests that use them then say so and skip.
 */
const folder = fileURLToPath(new URL("../../../shared/schemas/", import.meta.url));

export const schemasAbsent = !existsSync(folder);
if (schemasAbsent) console.warn("skipped: ../shared/schemas is not beside this repository");

/** What a schema, or the part of it that `pointer` names, has against a document. */
export function complaintsBy(file: string, pointer = "#") {
  // Not strict: published schemas carry words of their own, such as `example`.
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(JSON.parse(readFileSync(folder + file, "utf8")), file);
  const validate = ajv.getSchema(file + pointer);
  if (validate === undefined) throw new Error(`${file} has no ${pointer}`);
  return (document: unknown): string[] => {
    if (validate(document) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
    );
  };
}

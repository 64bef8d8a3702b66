/** The console's types of the HTTP interface, from the document the service publishes of it. */
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { interfaceDocument } from "../../../scripts/interface-document.mjs";

export const TYPES_FILE = fileURLToPath(new URL("../generated/schema.d.ts", import.meta.url));

const HEAD =
  "/** Made from the OpenAPI document by scripts/types.mjs: not to be changed by hand. */";

/** The types, as the file has them. */
export async function consoleTypes() {
  const text = astToString(await openapiTS(await interfaceDocument(), { exportType: true }));
  return `${HEAD}\n\n${text}`;
}

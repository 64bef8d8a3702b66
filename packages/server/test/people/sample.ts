/** As much of a JSON schema as the OpenAPI document uses for bodies. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
}

/** A small value that a schema accepts: what is required, and nothing else. */
export function sampleOf(schema: Schema): unknown {
  const { anyOf, example, items = {}, minItems = 0, minimum = 0, properties = {} } = schema;
  if (schema.enum !== undefined) return schema.enum[0];
  if (example !== undefined) return example;
  if (anyOf !== undefined) return sampleOf(anyOf[0] ?? {});
  switch ([schema.type].flat()[0]) {
    case "string":
      return "x";
    case "integer":
    case "number":
      return minimum;
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: minItems }, () => sampleOf(items));
    default: {
      const required = schema.required ?? [];
      return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
    }
  }
}

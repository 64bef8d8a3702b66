type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

interface Change {
  readonly where: string;
  readonly changed: Json;
}

function otherLeaf(leaf: string | number | boolean | null): Json {
  if (typeof leaf === "boolean") return !leaf;
  return typeof leaf === "number" ? leaf + 1 : `${leaf ?? ""}x`;
}

/** Copies of a document, each with one of its leaves changed. */
export function* oneChange(value: Json, where = ""): Generator<Change> {
  if (typeof value !== "object" || value === null) {
    yield { where, changed: otherLeaf(value) };
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    for (const inner of oneChange(member, `${where}/${name}`)) {
      const changed = Array.isArray(value)
        ? value.with(Number(name), inner.changed)
        : { ...value, [name]: inner.changed };
      yield { where: inner.where, changed };
    }
  }
}

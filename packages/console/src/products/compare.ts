import { formatAmount } from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import type { Line } from "./read-file.js";

type Product = Api["Product"];

/** What an import would change. */
export interface Difference {
  readonly added: readonly Line[];
  readonly changed: readonly {
    readonly line: Line;
    readonly before: Product;
    readonly what: string;
  }[];
  readonly same: number;
}

/** A product as a line of an import, so that it can be restored. */
export function lineOf(product: Product): Line {
  const { id, title, description, price, image_url, url, availability, quantity } = product;
  const line: Record<string, string | number> = {
    id,
    title,
    description,
    price: formatAmount(price),
    currency: price.currency,
    availability,
    image_url: image_url ?? "",
    url: url ?? "",
    quantity: quantity ?? "",
  };
  return line;
}

const SHOWN: Readonly<Record<string, string>> = {
  title: "name",
  price: "price",
  currency: "currency",
  quantity: "stock",
  description: "description",
  image_url: "picture",
  url: "address",
  availability: "availability",
};

const isSame = (field: string, before: unknown, after: unknown) =>
  field === "price"
    ? Number(before) === Number(after)
    : String(before).toLowerCase() === String(after).toLowerCase();

/** Compares the lines of a file with the existing products. */
export function compare(lines: readonly Line[], products: readonly Product[]): Difference {
  const known = new Map(products.map((product) => [product.id, product]));
  const added: Line[] = [];
  const changed: { line: Line; before: Product; what: string }[] = [];
  let same = 0;
  for (const line of lines) {
    const before = known.get(String(line.id));
    if (before === undefined) {
      added.push(line);
      continue;
    }
    const old = lineOf(before);
    const different = Object.keys(SHOWN).filter(
      (field) => line[field] !== undefined && !isSame(field, old[field] ?? "", line[field]),
    );
    if (different.length === 0) same += 1;
    else {
      const what = different
        .map((field) => `${SHOWN[field]}: ${old[field] || "none"} → ${line[field]}`)
        .join(", ");
      changed.push({ line, before, what });
    }
  }
  return { added, changed, same };
}

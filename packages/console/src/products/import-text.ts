import type { Api } from "../api/client.js";
import { countText, moneyText, titleOf } from "../ui/words.js";
import type { Field } from "./read-file.js";

type Change = Api["ImportCheck"]["changes"][number];
type Values = Change["after"];
type Changed = Change["fields"][number];

export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  id: "Product number",
  title: "Name",
  price: "Price",
  currency: "Currency",
  quantity: "Stock",
  description: "Description",
  image_url: "Picture",
  url: "Page in your shop",
  availability: "Availability",
  sale_price: "Sale price",
  sale_from: "Sale begins",
  sale_until: "Sale ends",
  brand: "Brand",
  gtin: "GTIN",
  mpn: "MPN",
  sku: "SKU",
  identifier_exists: "Has a GTIN, or a brand and an MPN",
  category: "Category",
  additional_image_urls: "More pictures",
  item_group_id: "Variant group",
  options: "Variant",
};

/** What must be in a field, for values that the service refuses. */
const EXPECTED: Readonly<Partial<Record<Field, string>>> = {
  currency: "is not a currency such as EUR",
  quantity: "must be a whole number, 0 or more",
  image_url: "must be an https:// address",
  url: "must be an https:// address",
  availability: "must be in stock, out of stock, preorder or backorder",
  additional_image_urls: "must be https:// addresses",
};

/** What is wrong with a line of a file, in the words of the form: “Name is missing.” */
export function problemText(problem: string): string {
  const [, field = "", why = ""] = /^(\w+): (.*)$/s.exec(problem) ?? [];
  const name = FIELD_NAMES[field as Field];
  if (name === undefined) return `The line ${problem}.`;
  if (/^is missing|^is already|^has /.test(why)) return `${name} ${why}.`;
  if (why.includes("plain decimal")) return `${name} is not a number such as 12.50.`;
  const expected = EXPECTED[field as Field];
  return expected === undefined ? `${name}: ${why}.` : `${name} ${expected}.`;
}

function valueText(field: Changed, values: Values): string {
  if (field === "price") return moneyText(values.price);
  if (field === "sale_price") return values.sale_price ? moneyText(values.sale_price) : "none";
  if (field === "availability") return titleOf(values.availability);
  if (field === "options") return Object.values(values.options).join(", ") || "none";
  const value = values[field] ?? "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value) || "none";
}

/** What a line changes: “Name: A rose → Red rose”. */
export function changeText({ before, after, fields }: Change): string {
  if (before === null) {
    const stock = after.quantity === null ? "" : `, stock ${after.quantity}`;
    const sale = after.sale_price && `, sale price ${moneyText(after.sale_price)}`;
    return `New: ${after.title}, ${moneyText(after.price)}${sale ?? ""}${stock}`;
  }
  const parts = fields.map(
    (field) =>
      `${FIELD_NAMES[field].toLowerCase()}: ${valueText(field, before)} → ${valueText(field, after)}`,
  );
  return `${before.title}: ${parts.join(", ")}`;
}

/** How many lines do what: “2 new, 1 changed, 0 unchanged, 1 refused”. */
export function countsText(check: Api["ImportCheck"]): string {
  const { added, changed, unchanged, refused, removed } = check;
  const counts = [`${added} new`, `${changed} changed`, `${unchanged} unchanged`];
  if (removed > 0) counts.push(`${countText(removed, "product")} removed`);
  if (refused > 0) counts.push(`${countText(refused, "line")} refused`);
  return `${counts.join(", ")}.`;
}

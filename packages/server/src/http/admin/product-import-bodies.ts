import { z } from "@hono/zod-openapi";
import type { ImportCheck } from "../../actions/products/check-import.js";
import type { ImportReport } from "../../actions/products/import-products.js";
import type { UndoableImport } from "../../actions/products/undo-import.js";
import {
  AVAILABILITIES,
  COMPARED_FIELDS,
  type ListedProduct,
  type Product,
} from "../../domain/products/product.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp } from "../server/schemas.js";
import { DETAILS, renderDetails } from "./product-details.js";
import { MoneyBody } from "./schemas.js";

const Problems = z
  .array(z.object({ line: z.int(), problem: z.string() }))
  .openapi({ description: "The first hundred refused lines." });
const Stopped = z
  .boolean()
  .openapi({ description: "A thousand lines were refused. The rest was not read." });

export const ImportReportBody = z
  .object({
    written: z.int(),
    removed: z.int(),
    refused: z.int(),
    problems: Problems,
    total: z.int().openapi({ description: "How many products the site has now." }),
    stopped: Stopped,
  })
  .openapi("ImportReport");

const ValuesBody = z.object({
  title: z.string(),
  description: z.string(),
  price: MoneyBody.openapi({ description: "The regular price." }),
  image_url: z.string().nullable(),
  url: z.string().nullable(),
  availability: z.enum(AVAILABILITIES),
  quantity: z.int().nullable(),
  ...DETAILS,
});

export const ImportCheckBody = z
  .object({
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    removed: z.int().openapi({
      description: "Products that the file does not name, with `mode=replace`.",
    }),
    refused: z.int(),
    problems: Problems,
    changes: z
      .array(
        z.object({
          line: z.int(),
          id: z.string(),
          before: ValuesBody.nullable().openapi({ description: "null: the product is new." }),
          after: ValuesBody,
          fields: z.array(z.enum(COMPARED_FIELDS)).openapi({ description: "What changes." }),
        }),
      )
      .openapi({ description: "The first hundred lines that change something." }),
    removals: z
      .array(z.object({ id: z.string(), title: z.string() }))
      .openapi({ description: "The first hundred products that would be removed." }),
    stopped: Stopped,
  })
  .openapi("ImportCheck");

export const UndoableBody = z
  .object({
    import_id: z.string(),
    imported_at: Timestamp,
    added: z.int().openapi({ description: "Products that it added. Undoing removes them." }),
    replaced: z
      .int()
      .openapi({ description: "Products that it changed or removed. Undoing restores them." }),
  })
  .openapi("UndoableImport");

export function renderReport(report: ImportReport): z.infer<typeof ImportReportBody> {
  return { ...report, problems: [...report.problems] };
}

function renderValues(product: Product | ListedProduct): z.infer<typeof ValuesBody> {
  const { title, description, regularPrice, imageUrl, url, availability, quantity } = product;
  return {
    title,
    description,
    price: { minor: regularPrice.minor, currency: regularPrice.currency },
    image_url: imageUrl,
    url,
    availability,
    quantity,
    ...renderDetails(product),
  };
}

export function renderCheck({
  changes,
  removals,
  ...counts
}: ImportCheck): z.infer<typeof ImportCheckBody> {
  return {
    ...counts,
    problems: [...counts.problems],
    changes: changes.map(({ line, before, after, fields }) => ({
      line,
      id: after.productId,
      before: before === undefined ? null : renderValues(before),
      after: renderValues(after),
      fields: [...fields],
    })),
    removals: removals.map(({ productId: id, title }) => ({ id, title })),
  };
}

export function renderUndoable(undoable: UndoableImport): z.infer<typeof UndoableBody> {
  const { importId: import_id, importedAt, added, replaced } = undoable;
  return { import_id, imported_at: isoTime(importedAt), added, replaced };
}

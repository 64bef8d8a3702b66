import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { checkImport, type ImportCheck } from "../../actions/products/check-import.js";
import { type ImportReport, importProducts } from "../../actions/products/import-products.js";
import { undoableImport, undoImport } from "../../actions/products/undo-import.js";
import type { Context } from "../../context.js";
import {
  AVAILABILITIES,
  COMPARED_FIELDS,
  type ListedProduct,
  type Product,
} from "../../domain/products/product.js";
import { csvLines, jsonLines } from "../../domain/products/product-lines.js";
import { isoTime } from "../../infra/clock.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { errors, json, Timestamp } from "../server/schemas.js";
import { uploadOf } from "../server/streaming.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { SITE_PATH, siteRoute } from "./describe.js";
import { MoneyBody, SiteParams } from "./schemas.js";

const IMPORT_BYTES_MAX = 64 * 1024 * 1024;
const IMPORT_ID_CHARS_MAX = 60;

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
  price: MoneyBody,
  image_url: z.string().nullable(),
  url: z.string().nullable(),
  availability: z.enum(AVAILABILITIES),
  quantity: z.int().nullable(),
});

const CheckBody = z
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

const UndoableBody = z
  .object({
    import_id: z.string(),
    imported_at: Timestamp,
    added: z.int().openapi({ description: "Products that it added. Undoing removes them." }),
    replaced: z
      .int()
      .openapi({ description: "Products that it changed or removed. Undoing restores them." }),
  })
  .openapi("UndoableImport");

/** A route whose body is a file. */
function fileRoute<Answer extends z.ZodType>(
  name: string,
  summary: string,
  description: string,
  answer: ReturnType<typeof json<Answer>>,
) {
  return createRoute({
    method: "post",
    path: `${SITE_PATH}/products/${name}`,
    tags: ["Selling"],
    summary,
    description,
    request: {
      params: SiteParams,
      query: z.object({ mode: z.enum(["update", "replace"]).default("update") }),
      body: {
        required: true,
        content: {
          "text/csv": { schema: z.string() },
          "application/x-ndjson": { schema: z.string() },
        },
      },
    },
    responses: {
      200: answer,
      ...errors("invalid_request", "forbidden", "not_found", "conflict", "unsupported_media_type"),
    },
  });
}

const importRoute = fileRoute(
  "import",
  "Import products",
  "Accepts CSV (`text/csv`) or one JSON object per line (`application/x-ndjson`), up to 64 MB. Lines with " +
    "errors are reported and skipped. With `mode=replace`, products that are not in the file are " +
    "removed, unless a line was refused.",
  json(ImportReportBody, "What was saved, and what was not."),
);

const checkRoute = fileRoute(
  "import/check",
  "Check an import",
  "Reads a file as the import does, and says what the import would do. Nothing is saved.",
  json(CheckBody, "What would be added, changed, removed and refused."),
);

const show = siteRoute("get", "/products/import", {
  tags: ["Selling"],
  summary: "Show the import that can be undone",
  description: "The last import, while nothing else has changed the products since.",
  answer: json(
    z.object({ import: UndoableBody.nullable() }),
    "The import, or null if none can be undone.",
  ),
});

const undo = siteRoute("post", "/products/import/undo", {
  tags: ["Selling"],
  summary: "Undo the last import",
  description:
    "Removes the products that it added, and restores those that it changed or removed. Everything is undone, or " +
    "nothing. What was sold since stays sold.",
  body: strict({ import_id: z.string().min(1).max(IMPORT_ID_CHARS_MAX) }),
  answer: json(
    z.object({ removed: z.int(), restored: z.int(), total: z.int() }),
    "What was removed and restored.",
  ),
  errors: ["conflict"],
});

export function renderReport(report: ImportReport): z.infer<typeof ImportReportBody> {
  return { ...report, problems: [...report.problems] };
}

function renderValues(product: Product | ListedProduct): z.infer<typeof ValuesBody> {
  const { title, description, price, imageUrl, url, availability, quantity } = product;
  const { minor, currency } = price;
  const links = { image_url: imageUrl, url };
  return { title, description, price: { minor, currency }, ...links, availability, quantity };
}

function renderCheck({ changes, removals, ...counts }: ImportCheck): z.infer<typeof CheckBody> {
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

/** The reader for the lines of a `Content-Type`. */
function linesOf(type: string) {
  if (/^text\/csv\b/i.test(type)) return csvLines;
  if (/^application\/(?:x-ndjson|jsonl)\b/i.test(type)) return jsonLines;
  throw new Problem("unsupported_media_type", {
    message: "Send text/csv or application/x-ndjson.",
  });
}

/** The only routes whose body is not JSON. They are registered before the middleware that parses JSON. */
export function productFileRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const serve = (
    route: typeof importRoute | typeof checkRoute,
    answer: (
      siteKeyHash: string,
      lines: ReturnType<typeof csvLines>,
      options: Parameters<typeof importProducts>[3],
    ) => Promise<object>,
  ) => {
    const { path, request } = route;
    app.openAPIRegistry.registerPath(route);
    app.post(path.replace("{site_key_hash}", ":site_key_hash"), async (c) => {
      if (!request.params.safeParse(c.req.param()).success) throw new Problem("not_found");
      const { siteKeyHash } = await requireSite(context, c, "owner");
      const query = request.query.safeParse(c.req.query());
      if (!query.success) {
        throw new Problem("invalid_request", { message: "mode: must be update or replace." });
      }
      const lines = linesOf(c.req.header("content-type") ?? "");
      const upload = uploadOf(c.req.raw, IMPORT_BYTES_MAX, context.clock);
      const options = { replace: query.data.mode === "replace", actor: actorOf(c) };
      return c.json(await answer(siteKeyHash, lines(upload), options), 200);
    });
  };
  serve(importRoute, async (siteKeyHash, lines, options) =>
    renderReport(requireOk(await importProducts(context, siteKeyHash, lines, options))),
  );
  serve(checkRoute, async (siteKeyHash, lines, options) =>
    renderCheck(requireOk(await checkImport(context, siteKeyHash, lines, options))),
  );
}

export function productImportRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const found = await undoableImport(context, siteKeyHash);
    const { importId: import_id = "", added = 0, replaced = 0 } = found ?? {};
    const shown = found && { import_id, imported_at: isoTime(found.importedAt), added, replaced };
    return c.json({ import: shown ?? null }, 200);
  });

  app.openapi(undo, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { import_id } = c.req.valid("json");
    const undone = await undoImport(context, siteKeyHash, import_id, actorOf(c));
    return c.json(requireOk(undone), 200);
  });
}

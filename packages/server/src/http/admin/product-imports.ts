import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { checkImport } from "../../actions/products/check-import.js";
import { importProducts } from "../../actions/products/import-products.js";
import { undoableImport, undoImport } from "../../actions/products/undo-import.js";
import type { Context } from "../../context.js";
import { csvLines, jsonLines } from "../../domain/products/product-lines.js";
import { ConcurrencyLimit } from "../../infra/rate-limit/concurrency-limit.js";
import { noRoom } from "../server/body.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { errors, json } from "../server/schemas.js";
import { uploadOf } from "../server/streaming.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite, requireStill } from "./access.js";
import { SITE_PATH, siteRoute } from "./describe.js";
import {
  ImportCheckBody,
  ImportReportBody,
  renderCheck,
  renderReport,
  renderUndoable,
  UndoableBody,
} from "./product-import-bodies.js";
import { SiteParams } from "./schemas.js";

const IMPORT_BYTES_MAX = 64 * 1024 * 1024;
const IMPORT_ID_CHARS_MAX = 60;
/** Files checked at a time, per site and in all. Each is read as a whole, and nothing else would stop it. */
const CHECKS_MAX = { perKey: 4, total: 16 };

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
    "errors are reported and skipped. With `mode=update`, a field that a line leaves out keeps its value, except that a line with `price` and without `sale_price` ends the sale. Only a new " +
    "product needs `title`, `price` and `currency`. With `mode=replace`, every line needs them, and products that " +
    "are not in the file are removed, unless a line was refused.",
  json(ImportReportBody, "What was saved, and what was not."),
);

const checkRoute = fileRoute(
  "import/check",
  "Check an import",
  "Reads a file as the import does, and says what the import would do. Nothing is saved.",
  json(ImportCheckBody, "What would be added, changed, removed and refused."),
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
      const check = requireStill(context, c, "owner");
      const { clock } = context;
      const upload = uploadOf(c.req.raw, { bytesMax: IMPORT_BYTES_MAX, clock, check });
      const options = { replace: query.data.mode === "replace", actor: actorOf(c) };
      return c.json(await answer(siteKeyHash, lines(upload), options), 200);
    });
  };
  serve(importRoute, async (siteKeyHash, lines, options) =>
    renderReport(requireOk(await importProducts(context, siteKeyHash, lines, options))),
  );
  const checks = new ConcurrencyLimit(CHECKS_MAX);
  serve(checkRoute, async (siteKeyHash, lines, options) => {
    const checked = await checks.run(siteKeyHash, () =>
      checkImport(context, siteKeyHash, lines, options),
    );
    if (checked === undefined) throw noRoom();
    return renderCheck(requireOk(checked.result));
  });
}

export function productImportRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const undoable = await undoableImport(context, siteKeyHash);
    return c.json({ import: undoable === undefined ? null : renderUndoable(undoable) }, 200);
  });

  app.openapi(undo, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { import_id } = c.req.valid("json");
    const undone = await undoImport(context, siteKeyHash, import_id, actorOf(c));
    return c.json(requireOk(undone), 200);
  });
}

import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { eraseBuyer } from "../../actions/buyers/erase-buyer.js";
import { exportBuyer } from "../../actions/buyers/export-buyer.js";
import { findBuyer } from "../../actions/buyers/find-buyer.js";
import { setRetention, showRetention } from "../../actions/buyers/set-retention.js";
import type { Context } from "../../context.js";
import { RETENTION_DAYS, RETENTION_DAYS_MAX } from "../../domain/buyers/retention.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import {
  BuyerQuery,
  ErasureBody,
  ExportBody,
  erasureBody,
  exportBody,
  FoundBody,
  foundBody,
} from "./buyer-bodies.js";
import { siteRoute } from "./describe.js";

const RetentionBody = strict({
  days: z
    .int()
    .min(0)
    .max(RETENTION_DAYS_MAX)
    .nullable()
    .openapi({
      description: `How many days after an order has ended. null: never. The default is ${RETENTION_DAYS}.`,
    }),
}).openapi("BuyerRetention");

const find = siteRoute("post", "/buyers/find", {
  tags: ["Buyers"],
  summary: "Find what is stored about a buyer",
  description: "Shows what an erasure would erase, and what is still needed.",
  body: BuyerQuery,
  answer: json(FoundBody, "What is stored."),
});

const exportRoute = siteRoute("post", "/buyers/export", {
  tags: ["Buyers"],
  summary: "Export everything that is stored about a buyer",
  description: "The audit log records the export, with a pseudonym instead of the address.",
  body: BuyerQuery,
  answer: json(ExportBody, "Everything that is stored."),
});

const erase = siteRoute("post", "/buyers/erase", {
  tags: ["Buyers"],
  summary: "Erase the personal data of a buyer",
  description:
    "Erases names, addresses, phone numbers, notes and messages of everything that has ended. Items, amounts, the " +
    "country and the audit log stay. The rest is erased when it ends. This cannot be undone.",
  body: BuyerQuery,
  answer: json(ErasureBody, "What was erased, and what is still needed."),
});

const showSettings = siteRoute("get", "/buyers/retention", {
  tags: ["Buyers"],
  summary: "Show how long buyers' personal data is kept",
  answer: json(RetentionBody, "The setting."),
});

const replaceSettings = siteRoute("put", "/buyers/retention", {
  tags: ["Buyers"],
  summary: "Set how long buyers' personal data is kept",
  description: "A shorter time also applies to orders that have already ended.",
  body: RetentionBody,
  answer: json(RetentionBody, "The setting."),
});

export function buyerRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(find, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const result = await findBuyer(context, siteKeyHash, c.req.valid("json").email);
    return c.json(foundBody(result), 200);
  });

  app.openapi(exportRoute, async (c) => {
    const site = await requireSite(context, c, "owner");
    const { email } = c.req.valid("json");
    const exported = await exportBuyer(context, site.siteKeyHash, email, c.get("principal"));
    return c.json(exportBody(context, { site, email, exported }), 200);
  });

  app.openapi(erase, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { email } = c.req.valid("json");
    return c.json(erasureBody(await eraseBuyer(context, siteKeyHash, email, actorOf(c))), 200);
  });

  app.openapi(showSettings, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    return c.json({ days: await showRetention(context, siteKeyHash) }, 200);
  });

  app.openapi(replaceSettings, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { days } = c.req.valid("json");
    return c.json({ days: await setRetention(context, siteKeyHash, days, actorOf(c)) }, 200);
  });
}

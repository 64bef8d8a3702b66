import { z } from "@hono/zod-openapi";
import { SiteKeyHash, Timestamp } from "../server/schemas.js";

/** The answers to messages of shop systems, for the OpenAPI document. */

export const ConnectAnswer = z
  .object({
    type: z.literal("connect.answer"),
    connection_id: z.string(),
    secret: z.string().openapi({ description: "Both sides sign with it." }),
    site: z.object({
      domain: z.string(),
      site_key: z.string(),
      site_key_hash: SiteKeyHash,
      status: z.enum(["pending", "verified"]),
      verification_token: z.string(),
    }),
    edge_token: z.string().openapi({ description: "For reports of visits." }),
  })
  .openapi("ConnectAnswer");

export const ProductsAnswer = z
  .object({
    type: z.literal("products.answer"),
    stored: z.int(),
    ignored: z.int().openapi({ description: "Products whose version was not higher." }),
    removed: z.int(),
    problems: z.array(z.object({ id: z.string(), problem: z.string() })),
  })
  .openapi("ProductsAnswer");

export const OrderChangeAnswer = z
  .object({
    type: z.literal("order.change.answer"),
    state: z.enum(["done", "pending", "refused"]),
    problem: z.string().optional().openapi({ description: "Why it was refused, for a person." }),
    revision: z.int(),
  })
  .openapi("OrderChangeAnswer");

export const StatusAnswer = z
  .object({
    type: z.literal("status.answer"),
    site: z.object({ domain: z.string(), status: z.enum(["pending", "verified"]) }),
    products: z.object({
      listed: z.int(),
      paused: z.int(),
      synced_at: Timestamp.nullable(),
      problem: z.string().nullable(),
    }),
    selling: z.object({ open: z.boolean(), problems: z.array(z.string()) }),
    messages: z.object({ waiting: z.int(), failed: z.int() }),
    agent_page: z.string(),
  })
  .openapi("StatusAnswer");

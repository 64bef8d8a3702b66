import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { setProcessor } from "../../actions/set-processor.js";
import type { Context } from "../../context.js";
import { gatesOf, sells } from "../../owners/sites/gates.js";
import { PROCESSOR_KINDS, type Site } from "../../owners/sites/site.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { body, errors, json, refused, SiteParams } from "./schemas.js";

const MERCHANT_ID_CHARS_MAX = 100;

const ProcessorBody = z
  .object({
    kind: z.enum(PROCESSOR_KINDS).nullable().openapi({ description: "null: none is connected." }),
    live: z.boolean().openapi({ description: "Whether real money moves." }),
    rail_on: z.boolean(),
    settles: z.boolean(),
    wallet_merchant_id: z.string().nullable(),
    sells: z.boolean().openapi({ description: "Every gate is open: agents can buy." }),
    gates: z.array(
      z.object({
        name: z.string(),
        open: z.boolean(),
        advice: z.string().optional().openapi({ description: "What opens it." }),
      }),
    ),
  })
  .openapi("Processor");

const path = "/v1/admin/sites/{site_key_hash}/processor";
const tags = ["Selling"];

const show = createRoute({
  ...{ method: "get", path, tags },
  summary: "Show the payment processor and the gates of checkout",
  request: { params: SiteParams },
  responses: { 200: json(ProcessorBody, "The processor."), ...errors("not_found") },
});

const connect = createRoute({
  ...{ method: "put", path, tags },
  summary: "Connect a payment processor",
  description: "`sandbox` is embedded: it knows Stripe's test tokens, and no money is behind it.",
  request: {
    params: SiteParams,
    body: body(
      z.strictObject({
        kind: z.enum(PROCESSOR_KINDS),
        rail_on: z.boolean(),
        settles: z.boolean(),
        wallet_merchant_id: z.string().min(1).max(MERCHANT_ID_CHARS_MAX).optional(),
      }),
    ),
  },
  responses: {
    200: json(ProcessorBody, "The processor."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const disconnect = createRoute({
  ...{ method: "delete", path, tags },
  summary: "Disconnect the payment processor",
  description: "Nothing new is sold. What was asked of it before is still brought to its end.",
  request: { params: SiteParams },
  responses: {
    200: json(ProcessorBody, "None."),
    ...errors("forbidden", "not_found", "conflict"),
  },
});

function render(site: Site): z.infer<typeof ProcessorBody> {
  const { processor } = site;
  return {
    kind: processor?.kind ?? null,
    live: processor?.live ?? false,
    rail_on: processor?.railOn ?? false,
    settles: processor?.settles ?? false,
    wallet_merchant_id: processor?.walletMerchantId ?? null,
    sells: sells(site),
    gates: gatesOf(site).map(({ name, open, advice }) =>
      open ? { name, open } : { name, open, advice },
    ),
  };
}

export function processorRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    return c.json(render(await requireSite(context, c, site_key_hash, "auditor")), 200);
  });

  app.openapi(connect, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { kind, rail_on, settles, wallet_merchant_id } = c.req.valid("json");
    const walletMerchantId = wallet_merchant_id ?? null;
    const processor = { kind, railOn: rail_on, settles, live: false, walletMerchantId };
    const result = await setProcessor(context, site_key_hash, processor, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });

  app.openapi(disconnect, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await setProcessor(context, site_key_hash, null, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}

import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setProvider } from "../../actions/payments/set-provider.js";
import {
  type AccountState,
  accountState,
  checkCurrentKey,
  type KeyReport,
} from "../../actions/payments/stripe-account.js";
import { obstaclesOf, offerOf } from "../../actions/sites/offer.js";
import type { Config } from "../../config/config.js";
import type { Context } from "../../context.js";
import { gatesOf, sells } from "../../domain/sites/gates.js";
import { PROVIDER_KINDS, type Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const RailOn = z.boolean().openapi({ description: "Agents can pay through this provider." });
const Settles = z
  .boolean()
  .openapi({ description: "The owner confirms that this provider pays out to them." });
const MERCHANT_ID_CHARS_MAX = 100;
const SECRET_CHARS_MAX = 255;

const Secret = z.string().min(1).max(SECRET_CHARS_MAX);

const Abilities = z.array(
  z.object({
    name: z.string(),
    allowed: z.boolean(),
    required: z.boolean().openapi({ description: "Payments do not work without it." }),
    purpose: z.string(),
  }),
);

const StripeBody = z
  .object({
    account: z.string().nullable().openapi({ description: "`acct_…`, if the key can read it." }),
    publishable_key: z.string().nullable(),
    webhook_secret_set: z.boolean(),
    approval_secret_set: z.boolean(),
    shared_payment_tokens: z.boolean(),
    connected_at: Timestamp,
    events_url: z.string().openapi({ description: "Let Stripe send its events to this address." }),
    approval_url: z
      .string()
      .openapi({ description: "Let Stripe send its order approvals to this address." }),
  })
  .openapi("StripeAccount");

const ProcessorBody = z
  .object({
    kind: z
      .enum(PROVIDER_KINDS)
      .nullable()
      .openapi({ description: "null: no payment provider is connected." }),
    live: z.boolean().openapi({ description: "Whether payments move real money." }),
    rail_on: RailOn,
    settles: Settles,
    wallet_merchant_id: z.string().nullable(),
    stripe: StripeBody.nullable().openapi({ description: "The account, without its secrets." }),
    sells: z.boolean().openapi({
      description: "Whether every gate is open, the domain is verified and sales are not paused.",
    }),
    offered: z.array(z.string()).openapi({
      description: "The buying skills that agents see, because a purchase can succeed.",
      example: ["place_order", "complete_checkout"],
    }),
    missing: z
      .array(
        z.object({
          name: z.string().openapi({ example: "products" }),
          advice: z.string().openapi({ example: "Add a product." }),
        }),
      )
      .openapi({
        description: "What is missing before agents can buy. Empty if nothing is missing.",
      }),
    gates: z.array(
      z.object({
        name: z.string(),
        open: z.boolean(),
        advice: z.string().optional().openapi({ description: "How to open the gate." }),
      }),
    ),
  })
  .openapi("Processor");

const show = siteRoute("get", "/processor", {
  tags: ["Selling"],
  summary: "Show the payment provider and the gates of the checkout",
  answer: json(ProcessorBody, "The payment provider."),
});

/** `kinds`: the payment providers of the installation. */
const connectRoute = (kinds: readonly string[]) =>
  siteRoute("put", "/processor", {
    tags: ["Selling"],
    summary: "Connect a payment provider",
    description:
      "`sandbox` is built in: it accepts Stripe's test tokens and moves no money. `stripe` is " +
      "your own account. Gatehouse checks first what its key can do, and stores it encrypted. Members of an " +
      "account that you leave out do not change.",
    body: strict({
      kind: z.enum(kinds),
      rail_on: RailOn,
      settles: Settles,
      wallet_merchant_id: z.string().min(1).max(MERCHANT_ID_CHARS_MAX).optional(),
      secret_key: Secret.optional().openapi({ description: "`rk_…` or `sk_…`, for `stripe`." }),
      publishable_key: Secret.optional(),
      webhook_secret: Secret.optional().openapi({
        description: "`whsec_…`, the signing secret of events.",
      }),
      approval_secret: Secret.optional().openapi({
        description: "`whsec_…`, the signing secret of order approvals.",
      }),
      shared_payment_tokens: z.boolean().optional().openapi({
        description: "Accept Stripe's shared payment tokens (`spt_…`), a preview feature.",
      }),
    }),
    answer: json(
      ProcessorBody.extend({ abilities: Abilities.optional() }),
      "The payment provider.",
    ),
    errors: ["conflict", "unavailable"],
  });

const test = siteRoute("post", "/processor/test", {
  tags: ["Selling"],
  summary: "Check what the connected key can do",
  description: "No payment is made, and nothing is changed.",
  answer: json(
    z.object({ live: z.boolean(), restricted: z.boolean(), abilities: Abilities }),
    "What the key can do.",
  ),
  errors: ["invalid_request", "unavailable"],
});

const disconnect = siteRoute("delete", "/processor", {
  tags: ["Selling"],
  summary: "Disconnect the payment provider",
  description: "The site stops selling. Payments in progress are completed.",
  answer: json(ProcessorBody, "No payment provider is connected."),
  errors: ["conflict"],
});

function renderAccount(
  { baseUrl }: Config,
  siteKeyHash: string,
  { account, hasWebhookSecret, hasApprovalSecret }: AccountState,
): z.infer<typeof StripeBody> {
  const hooks = `${baseUrl}/v1/hooks/stripe/${siteKeyHash}`;
  return {
    account: account.externalId,
    publishable_key: account.publishableKey,
    webhook_secret_set: hasWebhookSecret,
    approval_secret_set: hasApprovalSecret,
    shared_payment_tokens: account.sharedTokens,
    connected_at: isoTime(account.connectedAt),
    events_url: `${hooks}/events`,
    approval_url: `${hooks}/order-approval`,
  };
}

async function render(
  { db, config, policies }: Context,
  site: Site,
): Promise<z.infer<typeof ProcessorBody>> {
  const { provider, siteKeyHash } = site;
  const { buying } = await offerOf(db, policies, site);
  const account = provider?.kind === "stripe" ? await accountState(db, siteKeyHash) : undefined;
  return {
    kind: provider?.kind ?? null,
    live: provider?.live ?? false,
    rail_on: provider?.railOn ?? false,
    settles: provider?.settles ?? false,
    wallet_merchant_id: provider?.walletMerchantId ?? null,
    stripe: account === undefined ? null : renderAccount(config, siteKeyHash, account),
    sells: sells(site),
    offered: [...buying],
    missing: [...(await obstaclesOf(db, policies, site))],
    gates: gatesOf(site).map(({ name, open, advice }) =>
      open ? { name, open } : { name, open, advice },
    ),
  };
}

/** The members that are only for a Stripe account. */
const STRIPE_ONLY = [
  "secret_key",
  "publishable_key",
  "webhook_secret",
  "approval_secret",
  "shared_payment_tokens",
] as const;

const abilitiesOf = ({ abilities }: KeyReport) => abilities.map((ability) => ({ ...ability }));

export function processorRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const site = await requireSite(context, c, "auditor");
    return c.json(await render(context, site), 200);
  });

  const kinds = [...new Set([...PROVIDER_KINDS, ...Object.keys(context.providers)])];
  app.openapi(connectRoute(kinds), async (c) => {
    const { siteKeyHash, provider } = await requireSite(context, c, "owner");
    const request = c.req.valid("json");
    // The sandbox moves no money, so a new owner can try it before they have a passkey.
    if (request.kind !== "sandbox" || provider?.live === true) requireConfirmed(context, c);
    const foreign = STRIPE_ONLY.filter((name) => request[name] !== undefined);
    if (request.kind !== "stripe" && foreign.length > 0) {
      throw new Problem("invalid_request", {
        message: `${foreign.join(", ")}: only for Stripe. Set kind to "stripe", and add secret_key.`,
      });
    }
    const settings = {
      kind: request.kind,
      railOn: request.rail_on,
      settles: request.settles,
      walletMerchantId: request.wallet_merchant_id,
      stripe: {
        secretKey: request.secret_key,
        publishableKey: request.publishable_key,
        webhookSecret: request.webhook_secret,
        approvalSecret: request.approval_secret,
        sharedTokens: request.shared_payment_tokens,
      },
    };
    const { site, report } = requireOk(
      await setProvider(context, siteKeyHash, settings, actorOf(c)),
    );
    const abilities = report === undefined ? {} : { abilities: abilitiesOf(report) };
    return c.json({ ...(await render(context, site)), ...abilities }, 200);
  });

  app.openapi(test, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const report = requireOk(await checkCurrentKey(context, siteKeyHash));
    const { live, restricted } = report;
    return c.json({ live, restricted, abilities: abilitiesOf(report) }, 200);
  });

  app.openapi(disconnect, async (c) => {
    const { siteKeyHash, provider } = await requireSite(context, c, "owner");
    if (provider?.live === true) requireConfirmed(context, c);
    const { site } = requireOk(await setProvider(context, siteKeyHash, null, actorOf(c)));
    return c.json(await render(context, site), 200);
  });
}

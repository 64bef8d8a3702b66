import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { showShopSettings } from "../../actions/sites/read-sites.js";
import { setShop } from "../../actions/sites/set-shop.js";
import type { Context } from "../../context.js";
import {
  canOmitCoupon,
  isCartLink,
  LINK_TYPES,
  PERCENT,
  type ShopSettings,
} from "../../domain/shop-settings/shop-settings.js";
import { line, webAddress } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const ZONES_MAX = 50;
const COUNTRIES_MAX = 250;
const OPTIONS_MAX = 20;
const RATES_MAX = 500;
const TERMS_CHARS_MAX = 50_000;
const DAYS_MAX = 365;
const CART_LINK_CHARS_MAX = 500;
const TIME_ZONE_CHARS_MAX = 64;

const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be two capital letters, such as DE")
  .openapi({ description: "A two-letter code from ISO 3166-1.", example: "DE" });
const Line = line(80);
const Https = webAddress(/^https$/);

const Option = strict({
  id: z.string().regex(/^[a-z0-9_-]{1,40}$/, "must be 1 to 40 characters: a to z, 0 to 9, _ and -"),
  title: Line,
  prices: z
    .record(
      z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR"),
      z.string().max(20),
    )
    .openapi({ description: "The price, by currency.", example: { EUR: "4.90" } }),
  days: z
    .tuple([z.int().min(0).max(DAYS_MAX), z.int().min(0).max(DAYS_MAX)])
    .refine(([from, to]) => from <= to, "must have the shorter time first, such as [2, 4]")
    .optional()
    // The OpenAPI generator leaves out the length of a tuple.
    .openapi({ description: "The delivery time in days, from and to.", minItems: 2, maxItems: 2 }),
});

const Links = strict(
  Object.fromEntries(LINK_TYPES.map((type) => [type, Https.optional()])) as Record<
    (typeof LINK_TYPES)[number],
    z.ZodOptional<typeof Https>
  >,
);

const ShopBody = strict({
  shipping: z
    .array(
      strict({
        countries: z
          .array(z.union([Country, z.literal("*")], 'must be two capital letters, or "*"'))
          .min(1)
          .max(COUNTRIES_MAX)
          .openapi({ description: '"*" stands for all other countries.' }),
        options: z.array(Option).min(1).max(OPTIONS_MAX),
      }),
    )
    .max(ZONES_MAX)
    .default([])
    .openapi({ description: "The shipping options by country. Empty: nothing is shipped." }),
  taxes: z
    .array(
      strict({
        country: Country,
        region: Line.optional(),
        percent: z.string().regex(PERCENT, 'must be a text from 0 to 99.9999, such as "7.25"'),
      }),
    )
    .max(RATES_MAX)
    .default([])
    .openapi({
      description: "Taxes that are added to prices. Leave out taxes that prices already include.",
    }),
  terms: strict({ text: z.string().min(1).max(TERMS_CHARS_MAX), version: Line })
    .nullable()
    .default(null)
    .openapi({ description: "The terms that a buyer agrees to. null: Gatehouse's default text." }),
  links: Links.default({}),
  allow_unsigned: z
    .boolean()
    .default(false)
    .openapi({ description: "Whether platforms can order without proving who they are." }),
  orders_without_address: z.boolean().default(false).openapi({
    description:
      "Whether agents can order goods by mandate that the connected shop system has to send. Such an order has no address.",
  }),
  buyer_mail: z
    .boolean()
    .default(true)
    .openapi({ description: "Whether buyers receive emails about their orders." }),
  delivers: z.boolean().default(true).openapi({
    description:
      "Whether you deliver goods. false: you sell services or digital goods, and the console asks for no delivery options.",
  }),
  cart_link: z
    .string()
    .max(CART_LINK_CHARS_MAX)
    .regex(/^https:\/\/[^\s/]+\/./, "must be an https address with a path")
    .refine(isCartLink, "must contain {items}, or {id} and {quantity}")
    .refine(
      canOmitCoupon,
      "can contain {coupon} only as a separate parameter after the first, such as &coupon={coupon}",
    )
    .nullable()
    .default(null)
    .openapi({
      description:
        "A link to the cart of your shop. `continue_url` then leads there instead of to a page of this service. " +
        "`{items}` stands for `id:quantity,id:quantity`; `{id}` and `{quantity}` for the only product. " +
        "`{coupon}` is replaced with the discount code of the buyer. Without a code, `&coupon={coupon}` is removed.",
      example: "https://shop.example.com/cart/{items}",
    }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
    .nullable()
    .default(null)
    .openapi({ description: "What the console suggests for new prices.", example: "EUR" }),
  time_zone: z.string().max(TIME_ZONE_CHARS_MAX).nullable().default(null).openapi({
    description: "The zone of times and days in the console. It also suggests it for new rules.",
    example: "Europe/Berlin",
  }),
}).openapi("ShopSettings");

const show = siteRoute("get", "/shop", {
  tags: ["Selling"],
  summary: "Show how the site sells through platforms",
  answer: json(ShopBody, "The settings."),
});

const replace = siteRoute("put", "/shop", {
  tags: ["Selling"],
  summary: "Set how the site sells through platforms",
  body: ShopBody,
  answer: json(ShopBody, "The settings."),
});

function render({ allowUnsigned, buyerMail, cartLink, timeZone, ...shop }: ShopSettings) {
  const { shipping, taxes, terms, links, currency, delivers, ordersWithoutAddress } = shop;
  const body = {
    shipping,
    taxes,
    terms,
    links,
    allow_unsigned: allowUnsigned,
    orders_without_address: ordersWithoutAddress,
    buyer_mail: buyerMail,
    delivers,
    cart_link: cartLink,
    currency,
    time_zone: timeZone,
  };
  return structuredClone(body) as z.infer<typeof ShopBody>;
}

export function shopRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    return c.json(render(await showShopSettings(context, siteKeyHash)), 200);
  });

  app.openapi(replace, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { allow_unsigned, buyer_mail, cart_link, time_zone, ...others } = c.req.valid("json");
    const { orders_without_address: ordersWithoutAddress, ...rest } = others;
    const { cartLink: before } = await showShopSettings(context, siteKeyHash);
    // Buyers pay where it leads.
    if (cart_link !== null && cart_link !== before) requireConfirmed(context, c);
    const settings = {
      ...rest,
      allowUnsigned: allow_unsigned,
      ordersWithoutAddress,
      buyerMail: buyer_mail,
      cartLink: cart_link,
      timeZone: time_zone,
    } as ShopSettings;
    const shop = requireOk(await setShop(context, siteKeyHash, settings, actorOf(c)));
    return c.json(render(shop), 200);
  });
}

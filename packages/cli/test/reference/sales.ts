import { expect } from "vitest";
import { PNG } from "../../../server/test/pictures/sample-pictures.ts";
import { type Coverage, noSite } from "./covered.ts";

const CSV = "id,title,price,currency\nlily,A lily,3.00,EUR\n";

/** What every command about an order says of one that is not there. */
const noOrder = (...rest: string[]) => ({
  args: ({ shop }: { readonly shop: string }) => [shop, "ord_none", ...rest],
  code: 1 as const,
  says: /^There is no such order\.$/m,
  next: /`gatehouse order list \S+` lists the orders\./,
});

const noReview = {
  args: ({ shop }: { readonly shop: string }) => [shop, "esc_none"],
  code: 1 as const,
  says: /^There is no such review\.$/m,
  next: /`gatehouse review list \S+ --all` lists the reviews\./,
};

const noFeed = () => ({
  args: async ({ site }: { site(): Promise<string> }) => [await site()],
  code: 1 as const,
  says: /^\S+ has no product feed\.$/m,
  next: /Set one: gatehouse product feed set \S+ <url>/,
});

/** `product`, `order` and `review`: what is sold, what was, and what waits. */
export const sales: Coverage = {
  "product import": {
    args: async ({ site, file }) => [await site(), file("csv", CSV)],
    says: /^1 saved; site-\d+\.example\.com now has 1 product\.$/m,
    json: { written: 1, refused: 0, total: 1 },
    fails: {
      args: ({ shop, file }) => [shop, file("csv", `${CSV},No id,1.00,EUR\n`)],
      code: 1,
      says: /^1 line was rejected; the others were imported\.$/m,
      next: /Fix it and import the file again\./,
    },
  },
  "product list": {
    args: ({ shop }) => [shop],
    says: /^ID +TITLE +PRICE +AVAILABILITY +QUANTITY +RESERVED\n[\s\S]*^rose +A rose +100\.00 EUR /m,
    json: { items: expect.arrayContaining([expect.objectContaining({ id: "rose" })]) },
    fails: {
      args: () => [],
      code: 2,
      says: /^Missing required argument 'site'\.$/m,
      next: /`gatehouse product list --help` shows the options\./,
    },
  },
  "product set": {
    args: async ({ site }) => {
      const fields = ["--title", "A tulip", "--price", "2.80", "--currency", "EUR", "--pause"];
      const more = ["--brand", "Rosa", "--group", "tulips", "--option", "Color=Red", "Size=M"];
      const pictures = ["--more-image", "https://a.example.com/1", "https://a.example.com/2"];
      const numbers = ["--identifier-exists", "no", "--sku", "TUL-1"];
      return [
        await site(),
        "tulip",
        ...fields,
        ...more,
        ...pictures,
        ...numbers,
        "--sale-price",
        "2.50",
      ];
    },
    says: /^Added tulip at \S+: 2\.50 EUR\. It is paused: nobody can buy it\.$/m,
    json: {
      id: "tulip",
      paused: true,
      price: { minor: 250, currency: "EUR" },
      regular_price: { minor: 280, currency: "EUR" },
      brand: "Rosa",
      item_group_id: "tulips",
      options: { Color: "Red", Size: "M" },
      additional_image_urls: ["https://a.example.com/1", "https://a.example.com/2"],
      identifier_exists: false,
      sku: "TUL-1",
    },
    fails: {
      args: async ({ site }) => [await site(), "tulip", "--title", "A tulip"],
      code: 1,
      says: /price/,
      next: /docs\/errors\//,
    },
  },
  "product picture": {
    args: ({ shop, file }) => [shop, "rose", file("png", PNG)],
    says: /^rose at \S+ has a new picture: \S+\/v1\/pictures\/\S+$/m,
    json: { image_url: expect.stringContaining("/v1/pictures/") },
    fails: {
      args: ({ shop, file }) => [shop, "rose", file("gif", "GIF89a")],
      code: 2,
      says: /is not a supported picture file\.$/m,
      next: /Use a \.jpg, \.png or \.webp file\./,
    },
  },
  "product feed set": {
    args: async ({ site, feed }) => [await site(), feed, "--every", "6"],
    says: /^url +\S+\/feed\.jsonl\nevery +6 hours\n[\s\S]*^result +not fetched yet$/m,
    json: { every_hours: 6, format: null, last_result: null },
    fails: {
      args: async ({ site }) => [await site(), "http://shop.example.com/feed"],
      code: 1,
      says: /url: the address is not https/,
      next: /docs\/errors\//,
    },
  },
  "product feed show": {
    args: async ({ site, feed, run }) => {
      const domain = await site();
      await run("product", "feed", "set", domain, feed);
      return [domain];
    },
    says: /^every +24 hours$/m,
    json: { every_hours: 24 },
    fails: noFeed(),
  },
  "product feed fetch": {
    args: async ({ site, feed, run }) => {
      const domain = await site();
      await run("product", "feed", "set", domain, feed);
      return [domain];
    },
    says: /^result +applied: 1 added, 0 changed, 0 paused, 0 removed; 1 product in the feed$/m,
    json: { format: "json_lines", last_result: { outcome: "applied", added: 1 } },
    fails: noFeed(),
  },
  "product feed remove": {
    args: async ({ site, feed, run }) => {
      const domain = await site();
      await run("product", "feed", "set", domain, feed);
      return [domain];
    },
    says: /^Removed the feed of \S+\. The products stay\.$/m,
    json: { removed: true },
    fails: noFeed(),
  },
  "product feed publish": {
    args: async ({ site }) => [await site(), "google", "acp"],
    says: /\/google\.xml\n\S+\/acp\.jsonl$/m,
    json: { formats: ["google", "acp"], condition: "new" },
    fails: noSite("google"),
  },
  "product remove": {
    args: async ({ site, file, run }) => {
      const domain = await site();
      const more = "a/b,With a slash,1.00,EUR\n..,Dots,1.00,EUR\n";
      await run("product", "import", domain, file("csv", CSV + more));
      return [domain, "lily", "a/b", ".."];
    },
    says: /^3 products removed\. Nobody can buy them any more\.$/m,
    json: { removed: ["lily", "a/b", ".."] },
    fails: {
      args: ({ shop }) => [shop, "orchid"],
      code: 1,
      says: /^\S+ has no product orchid\.$/m,
      next: /`gatehouse product list \S+` lists the product ids\./,
    },
  },
  "order list": {
    args: async ({ shop, order }) => {
      await order();
      return [shop, "--status", "open"];
    },
    says: /^ORDER +CREATED_AT +AMOUNT .*\n#\d+ +\S+Z +100\.00 EUR +1 × rose +open .* ord_\S+$/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ status: "open" })]) },
    fails: {
      args: ({ shop }) => [shop, "--status", "gone"],
      code: 2,
      says: /^--status: gone is not valid\.$/m,
      next: /Use one of: open, partly_shipped, shipped, cancelled, refunded, partly_refunded\./,
    },
  },
  "order show": {
    args: async ({ shop, order }) => [shop, await order()],
    says: /^order +#\d+$[\s\S]*^amount +100\.00 EUR\ntest_order +no real money.*\npayment +authorized\norder_id +ord_\S+$/m,
    json: { status: "open", payment: "authorized", lines: [{ line_id: "li_1", fulfilled: 0 }] },
    fails: noOrder(),
  },
  "order ship": {
    args: async ({ shop, order }) => [shop, await order(), "--carrier", "DHL"],
    says: /^status +shipped$[\s\S]*^history +\S+ shipped: 1 × li_1; DHL$/m,
    json: { status: "shipped", events: [{ type: "shipped", carrier: "DHL" }] },
    fails: {
      args: ({ shop }) => [shop, "ord_none", "--type", "lost"],
      code: 2,
      says: /^--type: lost is not valid\.$/m,
      next: /Use one of: processing, shipped, in_transit, delivered, /,
    },
  },
  "order cancel": {
    args: async ({ shop, order }) => [shop, await order(), "--reason", "Sold out"],
    says: /^status +cancelled$[\s\S]*^payment +voided$[\s\S]*Sold out$/m,
    json: { status: "cancelled", payment: "released" },
    fails: noOrder(),
  },
  "order capture": {
    args: async ({ shop, order }) => [shop, await order(), "--amount", "90.00"],
    says: /^payment +captured\ncaptured +90\.00 EUR$/m,
    json: { payment: "captured", captured_minor: 9000 },
    fails: noOrder(),
  },
  "order refund": {
    args: async ({ shop, order, run }) => {
      const id = await order();
      await run("order", "capture", shop, id);
      return [shop, id, "--amount", "4.90"];
    },
    says: /^payment +partly refunded: 4\.90 EUR$/m,
    json: { payment: "captured", refunded_minor: 490 },
    fails: noOrder(),
  },
  "order note": {
    args: async ({ shop, order }) => [shop, await order(), "She called"],
    says: /^Note added\.$/m,
    json: { note_id: expect.any(String) },
    fails: noOrder("She called"),
  },
  "order simulate": {
    args: async ({ shop, order }) => [shop, await order(), "capture"],
    says: /^payment +captured\ncaptured +100\.00 EUR$/m,
    json: { payment: "captured" },
    fails: {
      args: async ({ shop, order }) => [shop, await order(), "refund", "--amount", "4,90"],
      code: 2,
      says: /^--amount: /m,
      next: /Use an amount in EUR, such as 4\.90\./,
    },
  },
  "review list": {
    args: async ({ shop, review }) => {
      await review();
      return [shop];
    },
    says: /^REVIEW_ID +STATUS .*\nesc_\S+ +pending +place_order +600\.00 EUR +ask-above /,
    json: { items: expect.arrayContaining([expect.objectContaining({ status: "pending" })]) },
    fails: {
      args: ({ shop }) => [shop, "--al"],
      code: 2,
      says: /^Unknown option '--al'\.$/m,
      next: /Did you mean --all\?/,
    },
  },
  "review show": {
    args: async ({ shop, review }) => [shop, await review()],
    says: /^status +pending\nskill +place_order\namount +600\.00 EUR\nitems +1 × A palm \(palm\)$/m,
    json: { status: "pending", rule_id: "ask-above" },
    fails: noReview,
  },
  "review approve": {
    args: async ({ shop, review }) => [shop, await review(), "--note", "a regular"],
    says: /^approved$/m,
    json: { status: "approved", note: "a regular" },
    fails: noReview,
  },
  "review deny": {
    args: async ({ shop, review }) => [shop, await review(), "--reason", "amount_too_high"],
    says: /^denied$/m,
    json: { status: "denied", reason_code: "amount_too_high" },
    fails: {
      args: ({ shop }) => [shop, "esc_none", "--reason", "mood"],
      code: 2,
      says: /^--reason: mood is not valid\.$/m,
      next: /Use one of: amount_too_high, unknown_agent, /,
    },
  },
};

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readQuote } from "../src/connectors/shop/answers.ts";
import { SHOP_MESSAGES } from "../src/connectors/shop/contract.ts";
import { PRODUCT_FIELDS, readProduct } from "../src/domain/products/product.ts";
import { OrderChangeMessage } from "../src/http/connections/messages.ts";
import { createSite, freshEnvironment, startServer } from "./harness.ts";

/** Documents that are always there have no error of their own, and one address only redirects. */
const NOT_APPLIED = { "operation-4xx-response": "off", "operation-2xx-response": "off" } as const;

async function served() {
  const server = await startServer(await freshEnvironment("sqlite"));
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  return { server, document };
}

test("the OpenAPI document is valid by version 3.1", async () => {
  const { document } = await served();
  expect(document.openapi).toBe("3.1.0");
  const result = await new Validator().validate(structuredClone(document));
  expect(result).toMatchObject({ valid: true });
});

test("the OpenAPI document has no finding of Redocly's recommended rules", async () => {
  const { document } = await served();
  const config = await createConfig({ extends: ["recommended"], rules: { ...NOT_APPLIED } });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  expect(problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual([]);
});

test("the schema limits the length of a pair of days", async () => {
  const { document } = await served();
  const { shipping } = document.components.schemas.ShopSettings.properties;
  const { days } = shipping.items.properties.options.items.properties;
  expect(days).toMatchObject({ type: "array", minItems: 2, maxItems: 2 });
});

test("every admin route is documented with a summary and its error answers", async () => {
  const { document } = await served();
  const operations = Object.entries<Record<string, { summary: string; responses: object }>>(
    document.paths,
  )
    .filter(([path]) => path.startsWith("/v1/admin/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        operation,
      })),
    );
  expect(operations.length).toBe(141);
  for (const { operation } of operations) {
    expect(operation.summary.length).toBeGreaterThan(5);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "429", "503"]));
  }
});

test("a request built from the document alone is accepted, and the answer has the documented shape", async () => {
  const { server, document } = await served();
  const { required } =
    document.paths["/v1/admin/sites"].post.requestBody.content["application/json"].schema;
  expect(required.sort()).toEqual(["domain", "name"]);
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)];
  for (const [, pattern] of patterns) {
    expect(() => new RegExp(JSON.parse(`"${pattern}"`), "u")).not.toThrow();
    expect(pattern).not.toMatch(/\/[a-z]*$/);
  }
  const site = await createSite(server, "shop.example.com");
  const { properties } = document.components.schemas.Site;
  expect(Object.keys(site).sort()).toEqual(Object.keys(properties).sort());
});

test("the messages to a shop system are described by the schemas that check their answers", async () => {
  const { document } = await served();
  expect(Object.keys(document.webhooks)).toEqual(["proof", "quote", "reserve", "release", "order"]);
  const { proof, ...signed } = document.webhooks;
  expect(proof.post.parameters).toBeUndefined();
  for (const { post } of Object.values<{ post: typeof document.webhooks.quote.post }>(signed)) {
    const names = post.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
    expect(Object.keys(post.responses)).toEqual(["200", "400", "401", "503"]);
    expect(Object.keys(post.responses[200].headers)).toEqual(names);
    expect(post.requestBody.required).toBe(true);
  }
  const { requestBody, responses } = document.webhooks.reserve.post;
  const { properties, required } = requestBody.content["application/json"].schema;
  expect(properties.total_minor).toMatchObject({ type: "integer", minimum: 0 });
  expect(required).toContain("reservation_id");
  const [reserved, refused] = responses[200].content["application/json"].schema.anyOf;
  expect(reserved.properties.state).toMatchObject({ enum: ["reserved"] });
  expect(refused.properties.reason.enum).toEqual(["out_of_stock", "price_changed", "closed"]);
});

test("the document accepts the same connector messages as the code that reads them", async () => {
  const { document } = await served();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "document");
  const validatorOf = (pointer: string) => ajv.compile({ $ref: `document#${pointer}` });
  const json = "content/application~1json/schema";
  const line = { product_id: "1", quantity: 2, unit_minor: 100 };
  const { unit_minor: _, ...unpriced } = line;
  const option = { id: "post", title: "Post", amount_minor: 0 };
  const quote = {
    type: "quote.answer",
    currency: "EUR",
    lines: [line],
    ships: true,
    options: [option],
    tax_minor: 0,
    total_minor: 200,
  };
  const asked = { currency: "EUR", lines: [{ product_id: "1", quantity: 2 }], option_id: null };
  const isQuote = validatorOf(`/webhooks/quote/post/responses/200/${json}`);
  for (const [isRight, answer] of [
    [true, quote],
    [true, { ...quote, lines: [{ ...unpriced, fault: "out_of_stock" }] }],
    [false, { ...quote, lines: [unpriced] }],
    [false, { ...quote, options: [{ ...option, title: " " }] }],
    [false, { ...quote, discounts: [{ title: "", amount_minor: 0 }] }],
  ] as const) {
    const read = readQuote(answer, asked);
    expect([answer, isQuote(answer), read.ok]).toEqual([answer, isRight, isRight]);
  }
  const question = { type: "quote", ...asked, destination: null, coupons: [] as string[] };
  const isQuestion = validatorOf(`/webhooks/quote/post/requestBody/${json}`);
  const codes = Array.from({ length: 6 }, (_one, at) => `code ${at}`);
  for (const [isRight, message] of [
    [true, { ...question, coupons: codes.slice(1) }],
    [false, { ...question, coupons: codes }],
    [false, { ...question, lines: [{ product_id: "1", quantity: 1_000_001 }] }],
  ] as const) {
    const isRead = SHOP_MESSAGES.quote.message.safeParse(message).success;
    expect([message, isQuestion(message), isRead]).toEqual([message, isRight, isRight]);
  }
  const isChange = validatorOf("/components/schemas/OrderChangeMessage");
  const sent = { kind: "sent", lines: null, carrier: null, tracking_number: null };
  for (const change of [sent, { kind: "cancelled", lines: null, reason: null }]) {
    const message = { type: "order.change", event_id: "e", order_id: "o", change };
    const isRead = OrderChangeMessage.safeParse(message).success;
    expect([message, isChange(message), isRead]).toEqual([message, true, true]);
  }
});

test("the messages of a shop system are described, with its products and when to wait", async () => {
  const { document } = await served();
  const paths = Object.keys(document.paths).filter((path) => path.startsWith("/v1/connections"));
  const ofConnection = ["products", "orders", "status"].map(
    (name) => `/v1/connections/{connection_id}/${name}`,
  );
  expect(paths.sort()).toEqual(["/v1/connections", ...ofConnection].sort());
  for (const path of paths) {
    const { parameters = [], requestBody, responses } = document.paths[path].post;
    const headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    const signed = path === "/v1/connections" ? [] : ["connection_id", ...headers];
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(signed);
    expect(requestBody.required).toBe(true);
    for (const status of ["429", "503"]) {
      expect(Object.keys(responses[status].headers)).toEqual(["retry-after"]);
    }
  }
  const { properties } = document.components.schemas.ProductsMessage;
  const { items } = properties.products;
  expect(Object.keys(items.properties).sort()).toEqual([...PRODUCT_FIELDS, "version"].sort());
  // Without what the schema requires, a product is a problem. Everything else can be left out.
  const least = { id: "rose", title: "A rose", price: "39.00", currency: "EUR" };
  expect(items.required.toSorted()).toEqual([...Object.keys(least), "version"].sort());
  expect(readProduct(least).ok).toBe(true);
  for (const field of Object.keys(least)) {
    const { [field as "id"]: _, ...rest } = least;
    expect([field, readProduct(rest).ok]).toEqual([field, false]);
  }
});

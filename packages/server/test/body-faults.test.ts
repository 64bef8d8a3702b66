import { beforeAll, describe, expect, test } from "vitest";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "./harness.ts";

describe("the error for an invalid body", () => {
  let server: TestServer;
  let shop: string;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    const site = { domain: "shop.example.com", name: "Shop" };
    const { body } = await server.admin("POST", "/v1/admin/sites", site);
    shop = `/v1/admin/sites/${body.site_key_hash}/shop`;
    return cleanUp;
  });

  async function refusalOf(body: object): Promise<string> {
    const answer = await server.admin("PUT", shop, body);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(Object.keys(answer.body)).toEqual(["error", "message", "docs_url", "request_id"]);
    return answer.body.message;
  }
  const option = { id: "post", title: "By post", prices: { EUR: "4.90" } };
  const sending = (zone: object) => ({
    shipping: [{ countries: ["DE"], options: [option], ...zone }],
  });

  test("names the unknown field, its location, and the known fields there", async () => {
    expect(await refusalOf(sending({ country: "DE" }))).toBe(
      "shipping.0.country: is an unknown field; use countries, options.",
    );
    expect(await refusalOf({ tax: [] })).toBe(
      "tax: is an unknown field; use shipping, taxes, terms, links, allow_unsigned, " +
        "orders_without_address, buyer_mail, delivers, cart_link, currency, time_zone.",
    );
  });

  test.each([
    [
      sending({ countries: ["de"] }),
      "shipping.0.countries.0: must be two capital letters, such as DE.",
    ],
    [sending({ countries: [49] }), 'shipping.0.countries.0: must be two capital letters, or "*".'],
    [
      sending({ options: [{ ...option, id: "By post" }] }),
      "shipping.0.options.0.id: must be 1 to 40 characters: a to z, 0 to 9, _ and -.",
    ],
    [
      sending({ options: [{ ...option, prices: { euro: "4.90" } }] }),
      "shipping.0.options.0.prices.euro: must be three capital letters, such as EUR.",
    ],
    [
      { taxes: [{ country: "DE", percent: "19%" }] },
      'taxes.0.percent: must be a text from 0 to 99.9999, such as "7.25".',
    ],
    [{ taxes: [{ percent: "19" }] }, "taxes.0.country: is missing."],
    [
      { taxes: [{ country: "DE", percent: 19 }] },
      "taxes.0.percent: Invalid input: expected string, received number.",
    ],
    [sending({ options: [] }), "shipping.0.options: must not be empty."],
    [
      sending({ options: [{ ...option, days: [4, 2] }] }),
      "shipping.0.options.0.days: must have the shorter time first, such as [2, 4].",
    ],
  ])("says in words what is wrong: %j", async (body, message) => {
    expect(await refusalOf(body)).toBe(message);
  });

  test("lists several problems at once, and how many more there are", async () => {
    const taxes = [{ country: "de", percent: "a" }, { country: "fr" }];
    expect(await refusalOf({ taxes, tax: 1 })).toBe(
      "taxes.0.country: must be two capital letters, such as DE. " +
        'taxes.0.percent: must be a text from 0 to 99.9999, such as "7.25". ' +
        "taxes.1.country: must be two capital letters, such as DE. " +
        "taxes.1.percent: is missing. " +
        "tax: is an unknown field; use shipping, taxes, terms, links, allow_unsigned, " +
        "orders_without_address, buyer_mail, delivers, cart_link, currency, time_zone.",
    );
    const many = Object.fromEntries(Array.from({ length: 105 }, (_, i) => [`f${i}`, i]));
    const message = await refusalOf(many);
    expect(message.match(/is an unknown field/g)).toHaveLength(5);
    expect(message).toMatch(/ And 100 more\.$/);
  });

  test("repeats the sender's names shortened and cleaned", async () => {
    const message = await refusalOf({ "<script>\u202e\u0007": 1, ["x".repeat(1000)]: 1 });
    expect(message).toMatch(/^\?script\?\?\?: is an unknown field/);
    expect(message).toContain(` ${"x".repeat(40)}...: `);
    const prices = { ["<b>\n".repeat(500)]: "1" };
    const key = await refusalOf(sending({ options: [{ ...option, prices }] }));
    expect(key).toMatch(/^[\w .,:;?-]{1,160}$/);
  });

  test("says for a number that is too small that it is too small", async () => {
    const answer = await server.admin("POST", shop.replace("/shop", "/policy/test"), {
      policy: {},
      last: 0,
    });
    expect(answer.body.message).toMatch(/^last: Too small/);
  });
});

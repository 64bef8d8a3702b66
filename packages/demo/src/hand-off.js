/** What most assistants do: they find and choose, and a person pays. */
import { expect, say } from "./stage.js";

const BROWSER = { "user-agent": "Mozilla/5.0 (the demo)", "accept-language": "en" };
const TYPED = {
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Love",
  street_address: "Gartenstr. 1",
  postal_code: "10115",
  address_locality: "Berlin",
  address_country: "DE",
};

/** Somebody's browser: it keeps the cookie of the page and follows nothing by itself. */
function openBrowser() {
  let cookie = "";
  return async (url, fields) => {
    const answer = await fetch(url, {
      method: fields === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { ...BROWSER, cookie },
      ...(fields === undefined ? {} : { body: new URLSearchParams(fields) }),
    });
    cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return { html: await answer.text(), location: answer.headers.get("location") ?? url };
  };
}

const quoteIn = (html) => /name="quote" value="([0-9a-f]+)"/.exec(html)?.[1] ?? "";

/** A person opens the link of a cart, enters an address, and pays on the payment page. Returns the last page. */
async function payAt(cartUrl) {
  const browse = openBrowser();
  await browse(cartUrl);
  const { location: url } = await browse(cartUrl, { do: "go" });
  await browse(url, { ...TYPED, do: "update" });
  const { html } = await browse(url);
  expect(html.includes("Order and pay"), "the page to take an order");
  const option = /name="option" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const pressed = await browse(url, { ...TYPED, option, quote: quoteIn(html), do: "pay" });
  const paid = await browse(pressed.location, { answer: "confirm" });
  return browse((await browse(paid.location)).location);
}

/** Calls a tool of a shop over MCP, as a client without an account does. */
export async function callTool(url, site, name, args) {
  const answer = await fetch(`${url}/v1/mcp/${site.site_key}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return (await answer.json()).result.structuredContent;
}

export async function walkHandOff(ask, url, site) {
  const { products } = await callTool(url, site, "search_catalog", {
    catalog: { query: "bouquet" },
  });
  expect(products.length > 0, "anybody to find a bouquet");
  const cart = { line_items: [{ item: { id: "bouquet" }, quantity: 1 }] };
  const { continue_url } = await callTool(url, site, "create_cart", { cart });
  say("an assistant without an account filled a cart over MCP, and gave a person the link:");
  console.log(`      ${continue_url}`);
  const { html } = await payAt(continue_url);
  expect(html.includes("Thank you for your order"), "the page to thank the person");
  const orders = `/v1/admin/sites/${site.site_key_hash}/orders`;
  const { body: listed } = await ask("GET", orders);
  const { body: order } = await ask("GET", `${orders}/${listed.items[0].order_id}`);
  expect(order.paid_by_person, "an order that a person has paid");
  say(`there the person entered an address and paid; the shop has the order ${order.order_id}`);
}

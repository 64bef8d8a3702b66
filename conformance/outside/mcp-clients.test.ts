/** MCP clients of other people browse a shop. None of them names a platform profile. */
import { describe, expect, inject, test } from "vitest";
import { openShop } from "../contract/buying.ts";
import { FETCH_MS_MAX } from "./fetched.ts";
import { MCP_CLIENTS } from "./mcp-clients.ts";

const CATALOG_TOOLS = ["search_catalog", "lookup_catalog", "get_product"];
const PRICE = { amount: 10_000, currency: "EUR" };
const ROSE = {
  id: "rose",
  title: "A red rose",
  price_range: { min: PRICE, max: PRICE },
  variants: [{ id: "rose", title: "A red rose", price: PRICE }],
};

describe("a shop's MCP server", () => {
  for (const { name, inside, browse } of MCP_CLIENTS) {
    test(`shows its products and prices to ${name} (client: ${inside})`, {
      timeout: FETCH_MS_MAX,
    }, async ({ skip, task }) => {
      const { siteKey } = await openShop();
      const browsed = await browse(`${inject("target").url}/v1/mcp/${siteKey}`);
      if (browsed === undefined) return skip(`${name} cannot be fetched here`);
      expect(browsed.tools).toEqual(expect.arrayContaining(CATALOG_TOOLS));
      const [found, looked, shown] = browsed.answers;
      expect(found.products).toMatchObject([ROSE]);
      expect(looked.products).toMatchObject([ROSE]);
      expect(shown.product).toMatchObject(ROSE);
      expect(browsed.complaints).toBe("");
      Object.assign(task.meta, { outside: browsed.answers.length });
    });
  }
});

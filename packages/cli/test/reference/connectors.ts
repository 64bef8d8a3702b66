import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

/** A site without a connection, and what to do about it. */
const notConnected = () => ({
  args: async ({ site }: { site(): Promise<string> }) => [await site()],
  code: 1 as const,
  says: /^\S+ is not connected to a shop system\.$/m,
  next: /Create a code for it: gatehouse connector code \S+/,
});

export const connectors: Coverage = {
  "connector code": {
    args: async ({ site }) => [await site()],
    says: /^ghc_[\w-]+$/m,
    json: { connect_code: expect.stringMatching(/^ghc_/) },
    fails: {
      args: () => ["nowhere.example"],
      code: 1,
      says: /nowhere\.example/,
      next: /gatehouse site list/,
    },
  },
  "connector show": {
    args: async ({ connected }) => [await connected()],
    says: /^system +Stand-in 1\n[\s\S]*^products +0 for sale, 0 paused$/m,
    json: { system: "Stand-in 1", sells: true },
    fails: notConnected(),
  },
  "connector confirm": {
    args: async ({ connected, shopSystem, server, run, file }) => {
      const domain = await connected();
      const send = (path: "status" | "products", message: object) =>
        shopSystem.send(server, path, { type: path, ...message });
      // A product from before the shop sold, which its first full list leaves out.
      await send("status", { sells: false });
      await run(
        "product",
        "import",
        domain,
        file("csv", "id,title,price,currency\na,A,1.00,EUR\n"),
      );
      await send("status", { sells: true });
      await send("products", { sync: { id: "one", part: 1, last: true } });
      return [domain];
    },
    says: /^Paused 1 product of \S+\.$/m,
    json: { paused: 1 },
    fails: notConnected(),
  },
  "connector disconnect": {
    args: async ({ connected }) => [await connected()],
    says: /^Disconnected \S+ from its shop system\. Its products are paused\.$/m,
    json: { disconnected: true },
    fails: notConnected(),
  },
  "connector listen": {
    args: ({ shopSystem }) => {
      shopSystem.reset();
      const port = "18791";
      const server = { url: `http://127.0.0.1:${port}` } as never;
      shopSystem.connectionId = "con_test";
      const send = async (path: "products" | "orders", message: object) => {
        for (let tries = 0; tries < 200; tries++) {
          const sent = await shopSystem.send(server, path, message as never).catch(() => undefined);
          if (sent !== undefined) return;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const rose = { id: "rose", version: 5, title: "Rose", price: "2.00", currency: "EUR" };
      const products = (one: object, more: object = {}) =>
        send("products", { type: "products", products: [one], ...more });
      void (async () => {
        await products(rose);
        await products(rose);
        await products(
          { ...rose, version: 6, title: "Red" },
          { sync: { id: "l", part: 1, last: true } },
        );
        const change = { kind: "sent", lines: null };
        const event = { type: "order.change", event_id: "e1", order_id: "ord_1", change };
        for (let sent = 0; sent < 3; sent++) await send("orders", event);
      })();
      return ["--secret", shopSystem.secret, "--port", port, "--minutes", "1"];
    },
    says: /^✓ Every product can be stored\.$/m,
    json: {
      findings: expect.arrayContaining([
        { check: "A full list arrives with all its parts.", section: "Products", state: "good" },
      ]),
    },
    fails: {
      args: () => ["--secret", "whsec_…"],
      code: 2,
      says: /^--secret is not a secret of a connection\.$/m,
      next: /Use the secret of a connection/,
    },
  },
  "connector check": {
    args: ({ shopSystem }) => {
      shopSystem.reset();
      return [shopSystem.endpoint, "--secret", shopSystem.secret, "--product", "rose"];
    },
    says: /^✓ An unsigned message is refused with 401\.$[\s\S]*^✓ Every total is the exact sum\.$/m,
    json: {
      orders: ["wc-1", "wc-2", "wc-3"],
      findings: expect.arrayContaining([
        {
          check: "Releasing again changes nothing.",
          section: "Release",
          state: "good",
        },
      ]),
    },
    fails: {
      args: () => ["http://shop.example.com", "--secret", "whsec_…", "--product", "rose"],
      code: 2,
      says: /^The endpoint has no HTTPS\.$/m,
      next: /Use an https:\/\/ address\./,
    },
  },
};

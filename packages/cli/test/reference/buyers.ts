import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

const EMAIL = "nobody@example.com";

const noAddress = (...rest: string[]) => ({
  args: ({ shop }: { readonly shop: string }) => [shop, "nobody", ...rest],
  code: 1 as const,
  says: /email: must be an address such as ann@example\.com/,
  next: /\S/,
});

/** `buyer`: what is stored about people who buy. */
export const buyers: Coverage = {
  "buyer export": {
    args: ({ shop, fresh }) => [shop, EMAIL, "--out", fresh("json")],
    says: /^Wrote \S+: 0 orders, 0 checkouts, 0 carts\.$/m,
    json: { file: expect.any(String), orders: 0, is_complete: true },
    fails: {
      args: ({ shop, folder }) => [shop, EMAIL, "--out", folder],
      code: 1,
      says: /cannot be used: it (?:is a folder|already exists)\.$/m,
      next: /Check the path and its permissions, or use another path\./,
    },
  },
  "buyer erase": {
    args: ({ shop }) => [shop, EMAIL, "--yes"],
    says: /^orders +0\ncheckouts +0\ncarts +0$/m,
    json: { erased: { orders: 0 }, kept: [] },
    fails: noAddress("--yes"),
  },
  "buyer retention": {
    args: ({ shop }) => [shop, "90"],
    says: /^Buyers' personal data is erased 90 days after an order has ended\.$/m,
    json: { days: 90 },
    fails: {
      args: ({ shop }) => [shop, "soon"],
      code: 2,
      says: /^soon is not a number of days\.$/m,
      next: /Use a number of days from 0 to 3650, or never\./,
    },
  },
};

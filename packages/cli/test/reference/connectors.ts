import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

export const connectors: Coverage = {
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

import type { Migration } from "../migration.js";

/**
 * shop_connection_codes.challenge: the SHA-256 of what the shop system must prove that it has kept; NULL for a code that
 * an owner pastes. `attempts` counts the tries to use the code.
 */
export const boundCodes: Migration = {
  name: "bound-codes",
  sql: ({ integer }) => `
ALTER TABLE shop_connection_codes ADD COLUMN challenge TEXT;
ALTER TABLE shop_connection_codes ADD COLUMN attempts ${integer} NOT NULL DEFAULT 0;
`,
};

import type { Migration } from "../migration.js";

/**
 * - admin_tokens.expires_at: from when a token no longer works; null for never.
 * - passkeys.rp_id: the host that browsers have bound the passkey to; null until the next start or use, for passkeys from
 *   before this column.
 * - console_codes.set_up: 1 for a link with which the first owner makes an account, instead of a session of the token.
 */
export const accessLimits: Migration = {
  name: "access-limits",
  sql: ({ integer }) => `
ALTER TABLE admin_tokens ADD COLUMN expires_at ${integer};
ALTER TABLE passkeys ADD COLUMN rp_id TEXT;
ALTER TABLE console_codes ADD COLUMN set_up ${integer} NOT NULL DEFAULT 0;
`,
};

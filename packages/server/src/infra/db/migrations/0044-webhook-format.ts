import type { Migration } from "../migration.js";

/** notify_settings.webhook_format: how the owner's webhook is written, for programs or for a chat. */
export const webhookFormat: Migration = {
  name: "webhook-format",
  sql: () => `
ALTER TABLE notify_settings ADD COLUMN webhook_format TEXT NOT NULL DEFAULT 'json';
`,
};

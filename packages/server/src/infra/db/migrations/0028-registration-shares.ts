import { DAY_MS } from "../../time.js";
import type { Migration } from "../migration.js";

const ANCHORED_MS = 30 * DAY_MS;

/**
 * agents.share: whose share of the pending registrations an agent uses: `domain:` and the domain that
 * publishes its key, or `network:` and a number for the network it came from. Pending agents expire,
 * including those whose key a domain publishes.
 */
export const registrationShares: Migration = {
  name: "registration-shares",
  sql: () => `
ALTER TABLE agents ADD COLUMN share TEXT NOT NULL DEFAULT '';

UPDATE agents SET expires_at = created_at + ${ANCHORED_MS}
  WHERE status = 'pending' AND expires_at IS NULL;
`,
};

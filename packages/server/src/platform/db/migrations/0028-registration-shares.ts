import type { Migration } from "../migrate.js";

const ANCHORED_MS = 30 * 24 * 3_600_000;

/**
 * agents.share: whose part of the waiting registrations an agent uses: `domain:` and the domain that
 * publishes its key, or `network:` and a number for the network it came from. Agents that wait expire,
 * also those that their key source vouches for.
 */
export const registrationShares: Migration = {
  name: "registration-shares",
  sql: () => `
ALTER TABLE agents ADD COLUMN share TEXT NOT NULL DEFAULT '';

UPDATE agents SET expires_at = created_at + ${ANCHORED_MS}
  WHERE status = 'pending' AND expires_at IS NULL;
`,
};

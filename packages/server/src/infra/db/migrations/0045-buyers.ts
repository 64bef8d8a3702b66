import type { Migration } from "../migration.js";
import { unpackJson } from "../table.js";

interface StoredReply {
  readonly site_key_hash: string;
  readonly caller: string;
  readonly operation: string;
  readonly idempotency_key: string;
  readonly body: string;
}

/**
 * - checkouts.buyer_mac, carts.buyer_mac: find what is stored about a buyer without storing the address twice.
 *   NULL until it is computed, and again after every change; empty if the buyer has no address.
 * - ucp_replies.subject_id: the cart or checkout that a reply shows, so that the reply can be erased with it.
 * - orders.erased_at: when the personal data of an order was erased.
 * - erased_buyers: buyers whose erasure was requested. What they bought until then goes when it has ended.
 * - buyer_settings: how long a site keeps personal data after an order; null for ever.
 * - revocations, made anew: an older database must not bring an erased buyer back either.
 */
export const buyers: Migration = {
  name: "buyers",
  sql: ({ integer, strict }) => `
ALTER TABLE checkouts ADD COLUMN buyer_mac TEXT;
ALTER TABLE carts ADD COLUMN buyer_mac TEXT;
CREATE INDEX checkouts_by_buyer ON checkouts (buyer_mac, site_key_hash);
CREATE INDEX carts_by_buyer ON carts (buyer_mac, site_key_hash);

ALTER TABLE ucp_replies ADD COLUMN subject_id TEXT;
CREATE INDEX ucp_replies_by_subject ON ucp_replies (subject_id);

ALTER TABLE orders ADD COLUMN erased_at ${integer};
CREATE INDEX orders_not_erased ON orders (site_key_hash, created_at, order_id)
  WHERE erased_at IS NULL;

CREATE TABLE erased_buyers (
  site_key_hash TEXT NOT NULL,
  buyer_mac TEXT NOT NULL,
  requested_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, buyer_mac)
) ${strict};

CREATE TABLE buyer_settings (
  site_key_hash TEXT PRIMARY KEY,
  retention_days ${integer}
) ${strict};

ALTER TABLE revocations RENAME TO revocations_before;
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform',
    'platform_credential', 'person', 'buyer')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  CONSTRAINT revocations_by_id PRIMARY KEY (kind, id)
) ${strict};
INSERT INTO revocations (kind, id, revoked_at)
  SELECT kind, id, revoked_at FROM revocations_before;
DROP TABLE revocations_before;
`,
  async fill(tx) {
    const replies = await tx.all<StoredReply>(
      `SELECT site_key_hash, caller, operation, idempotency_key, body FROM ucp_replies
       WHERE body IS NOT NULL`,
    );
    for (const { body, ...key } of replies) {
      const { id, shown_resource: shown } = unpackJson<{ id?: unknown; shown_resource?: unknown }>(
        body,
      );
      const subject = shown ?? id;
      if (typeof subject !== "string") continue;
      // By the whole primary key: callers choose the last part themselves, and no index begins with it.
      await tx.run(
        `UPDATE ucp_replies SET subject_id = ?
         WHERE site_key_hash = ? AND caller = ? AND operation = ? AND idempotency_key = ?`,
        subject,
        key.site_key_hash,
        key.caller,
        key.operation,
        key.idempotency_key,
      );
    }
  },
};

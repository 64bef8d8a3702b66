import type { Migration } from "../migration.js";

/**
 * planned_shipments: what somebody reported about the shipment of an order, until it takes effect. It can be undone
 * before `due_at`. `problem` says why it did not take effect.
 */
export const plannedShipments: Migration = {
  name: "planned-shipments",
  sql: ({ integer, strict }) => `
CREATE TABLE planned_shipments (
  order_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  shipment TEXT NOT NULL,
  actor TEXT NOT NULL,
  due_at ${integer} NOT NULL,
  problem TEXT
) ${strict};
CREATE INDEX planned_shipments_by_due ON planned_shipments (due_at);
CREATE INDEX planned_shipments_by_site ON planned_shipments (site_key_hash);
`,
};

/** Writes rows like those that were seen, under ids nobody had before: for servers of bare parts. */
import { hash, sign } from "node:crypto";

const UNIQUE = {
  checkouts: ["checkout_id", "page_id"],
  decisions: ["decision_id", "mandate_id", "digest", "record_id"],
  payments: ["attempt_id", "decision_id"],
  orders: ["order_id", "decision_id", "attempt_id", "page_id", "number"],
  sandbox_authorizations: ["idempotency_key", "reference"],
  ucp_replies: ["idempotency_key"],
};
/** Higher than any number of a row that was seen. */
const FIRST_NUMBER = 1_000_000;

export function bareRows(db, logKey) {
  let counter = 0;
  const statements = new Map();
  const insert = (table, row) => {
    const columns = Object.keys(row);
    let statement = statements.get(table);
    if (statement === undefined) {
      const marks = columns.map(() => "?").join(", ");
      statement = db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`);
      statements.set(table, statement);
    }
    statement.run(...columns.map((name) => row[name]));
  };
  const nextId = () => `bare-${++counter}`;
  return {
    insert,
    nextId,
    /** One more like a row, in its table. */
    copy(table, row) {
      const id = nextId();
      const own = (name) => (typeof row[name] === "number" ? FIRST_NUMBER + counter : id);
      const values = UNIQUE[table].map((name) => [name, own(name)]);
      insert(table, { ...row, ...Object.fromEntries(values) });
    },
    /** One more like a record of the log: hashed, signed, in its place. */
    record(row) {
      const id = nextId();
      const text = row.text.replaceAll(row.record_id, id);
      const digest = hash("sha256", text);
      const sig = sign(null, Buffer.from(digest), logKey).toString("base64url");
      const place = { seq: FIRST_NUMBER + counter, prev_hash: `${digest.slice(0, 40)}${id}` };
      insert("audit_records", { ...row, ...place, text, hash: digest, sig, record_id: id });
    },
  };
}

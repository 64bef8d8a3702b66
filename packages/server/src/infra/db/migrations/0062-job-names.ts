import type { Migration } from "../migration.js";

const NEW_NAMES: readonly (readonly [before: string, now: string])[] = [
  ["agents.forget", "agents.delete"],
  ["audit.tend", "audit.maintain"],
  ["carts.forget", "carts.delete"],
  ["console.forget", "access.delete"],
  ["limits.forget", "limits.delete"],
  ["outbox.forget", "outbox.delete"],
  ["payments.lapse", "payments.expire"],
  ["visits.forget", "visits.delete"],
];

/** jobs.name: plain names. Otherwise the last failure under an old name would be shown forever. */
export const jobNames: Migration = {
  name: "job-names",
  sql: () =>
    NEW_NAMES.map(
      ([before, now]) => `UPDATE jobs SET name = '${now}' WHERE name = '${before}';`,
    ).join("\n"),
};

export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  /** Shown in `/metrics` and in the reference that is made from this list. */
  readonly help: string;
  /** The meaning of each label. The values come from fixed sets. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of several workers, the value that counts: that of the worker that is asked, the most or the least. */
  readonly combined?: "own" | "most" | "least";
}

const GROUP = "the part of the service that answered; `none` for an unknown path";

/** All metrics, in the order of the reference. */
export const METRICS = Object.freeze({
  gatehouse_http_requests_total: {
    type: "counter",
    help: "Requests answered.",
    labels: { area: GROUP, method: "the HTTP method", status: "the HTTP status" },
  },
  gatehouse_http_request_seconds: {
    type: "histogram",
    help: "Time to answer a request.",
    labels: { area: GROUP },
  },
  gatehouse_admission_total: {
    type: "counter",
    help: "Requests answered, by how the caller proved who it is, and by the limit that refused the request.",
    labels: {
      class: "`anonymous`, `proven` (a valid signature or token) or `spending` (a call that pays)",
      area: GROUP,
      limit:
        "`none` if no limit applied, otherwise `address_rate`, `process_rate`, `site_rate`, `caller_rate`, `body_bytes` or `queue`",
    },
  },
  gatehouse_body_bytes_held: {
    type: "gauge",
    help: "Bytes of request bodies in memory.",
    labels: {},
  },
  gatehouse_anonymous_work_waiting: {
    type: "gauge",
    help: "Waiting requests of anonymous callers.",
    labels: {},
  },
  gatehouse_addresses_remembered: {
    type: "gauge",
    help: "Addresses and networks whose requests are counted.",
    labels: {},
  },
  gatehouse_connections_open: { type: "gauge", help: "Open connections.", labels: {} },
  gatehouse_connections_refused_total: {
    type: "counter",
    help: "Connections closed because of a limit.",
    labels: { limit: "`address`, or `process` for idle connections that were closed to make room" },
  },
  gatehouse_plaintext_refused_total: {
    type: "counter",
    help: "Requests refused because they came without HTTPS.",
    labels: {},
  },
  gatehouse_audit_commits_total: {
    type: "counter",
    help: "Commits to audit logs. A failed commit changed nothing.",
    labels: { result: "`recorded` or `failed`" },
  },
  gatehouse_audit_commits_waiting: {
    type: "gauge",
    help: "Waiting commits.",
    labels: {},
  },
  gatehouse_audit_logs_frozen: {
    type: "gauge",
    help: "Frozen logs: the database is behind a published checkpoint. No record is added until an operator renews the log.",
    labels: {},
    combined: "most",
  },
  gatehouse_rejections_aggregated_total: {
    type: "counter",
    help: "Rejections that were counted in one record per minute instead of one record each.",
    labels: { area: "`mandates` or `mcp`" },
  },
  gatehouse_rejections_unwritten: {
    type: "gauge",
    help: "Callers whose counted rejections are not in the log yet. The counts are written at the end of the minute.",
    labels: {},
  },
  gatehouse_mcp_calls_total: {
    type: "counter",
    help: "Tool calls recorded.",
    labels: { outcome: "`answered`, `error`, `refused` or `rate_limited`" },
  },
  gatehouse_mcp_record_bytes_total: {
    type: "counter",
    help: "Bytes of records that tool calls without a valid mandate added to logs.",
    labels: {},
  },
  gatehouse_mcp_limits_remembered: {
    type: "gauge",
    help: "Sessions, addresses and sites whose calls are counted.",
    labels: {},
  },
  gatehouse_questions_total: {
    type: "counter",
    help: "Questions that agents asked through actions.",
    labels: {
      result: "`stored`, `counted` if it was asked before, or `dropped` because of a limit",
    },
  },
  gatehouse_messages_total: {
    type: "counter",
    help: "Attempts to deliver messages.",
    labels: {
      kind: "`webhook` or `mail`",
      result:
        "`delivered`, `not_delivered` (tried again later), `refused` (by the receiver), or `gone` (not tried again)",
    },
  },
  gatehouse_reviews_waiting: {
    type: "gauge",
    help: "Requests of all sites that need review. The same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_payments_open: {
    type: "gauge",
    help: "Payments of all sites whose outcome is not known yet. The same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_payments_open_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest payment whose outcome is not known yet. 0 if there is none.",
    labels: {},
    combined: "own",
  },
  gatehouse_provider_calls_total: {
    type: "counter",
    help: "Calls to payment providers about single payments.",
    labels: {
      provider: "`sandbox` or `stripe`",
      result: "`answered`, or `failed` for a timeout or an error of the provider",
    },
  },
  gatehouse_shop_messages_total: {
    type: "counter",
    help: "Messages to connected shop systems.",
    labels: {
      type: "`quote`, `reserve`, `release` or `order`",
      result: "`answered`, or `failed` if there was no valid answer in time",
    },
  },
  gatehouse_feed_fetches_total: {
    type: "counter",
    help: "Fetches of product feeds.",
    labels: {
      result:
        "`applied`, `unchanged`, `not_applied` (the owner must check it), or `failed` (it could not be fetched or read)",
    },
  },
  gatehouse_unsigned_stored_bytes: {
    type: "gauge",
    help: "Bytes of carts, checkouts and replies that all sites store for unsigned callers. The same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_signed_stored_bytes: {
    type: "gauge",
    help: "Bytes of carts, checkouts and replies that all sites store for signed platforms. The same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_fetches_under_way: {
    type: "gauge",
    help: "Current requests to other hosts: profiles, keys, domain proofs, webhooks.",
    labels: {},
  },
  gatehouse_fetches_waiting: {
    type: "gauge",
    help: "Waiting requests to other hosts.",
    labels: {},
  },
  gatehouse_fetches_refused_total: {
    type: "counter",
    help: "Requests to other hosts that were dropped because they waited too long.",
    labels: {
      lane: "`owner` (addresses that owners set), `check` (daily checks of domains), `stranger` (addresses that strangers name), `known` (hosts that answered before), `webhook`, `shop` (shop systems) or `download` (product feeds)",
    },
  },
  gatehouse_payment_declines_total: {
    type: "counter",
    help: "Payments that a provider declined.",
    labels: {
      caller: "`admitted` for an agent or a platform that the owner admitted, otherwise `unlisted`",
    },
  },
  gatehouse_decline_waits_total: {
    type: "counter",
    help: "Number of times that a caller has to wait after declined payments.",
    labels: {
      kind: "`identity` (agent or platform), `address`, `instrument` (payment method) or `buyer`, which has to wait; `site`: platforms that are not admitted must send buyers to the shop",
    },
  },
  gatehouse_decline_refusals_total: {
    type: "counter",
    help: "Purchases refused because the caller has to wait after declined payments.",
    labels: {
      kind: "who has to wait, as above; `under_way`: too many payments have no outcome yet",
    },
  },
  gatehouse_document_bytes: {
    type: "gauge",
    help: "Memory used by cached signed documents.",
    labels: {},
  },
  gatehouse_live_site_bytes: {
    type: "gauge",
    help: "Memory used by cached sites and the data derived from them.",
    labels: {},
  },
  gatehouse_resident_bytes: {
    type: "gauge",
    help: "Memory used by the process, or by all workers.",
    labels: {},
  },
  gatehouse_uptime_seconds: {
    type: "gauge",
    help: "Time since the start. With several workers: since the start of the newest.",
    labels: {},
    combined: "least",
  },
}) satisfies Readonly<Record<string, Metric>>;

type List = typeof METRICS;

/** Names of one type of metric. */
export type MetricName<T extends Metric["type"]> = {
  [N in keyof List]: List[N]["type"] extends T ? N : never;
}[keyof List];

/** A value for each label of a metric, and for no other. */
export type LabelsOf<N extends keyof List> = Readonly<Record<keyof List[N]["labels"], string>>;

export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  /** Shown in `/metrics` and in the reference that is made from this list. */
  readonly help: string;
  /** The meaning of each label. The values come from fixed sets. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of several workers, the value that counts: that of the worker that is asked, the most or the least. */
  readonly combined?: "own" | "most" | "least";
}

const GROUP = "the part of the service that answered, `none` for an unknown path";

/** All metrics, in the order of the reference. */
export const METRICS = Object.freeze({
  gatehouse_http_requests_total: {
    type: "counter",
    help: "Requests answered.",
    labels: { door: GROUP, method: "the HTTP method", status: "the HTTP status" },
  },
  gatehouse_http_request_seconds: {
    type: "histogram",
    help: "Time to answer a request.",
    labels: { door: GROUP },
  },
  gatehouse_admission_total: {
    type: "counter",
    help: "Requests answered, by what the caller had proven and the limit that refused them.",
    labels: {
      class:
        "`anonymous`, `proven` (a valid signature or token) or `spending` (on a call that pays)",
      door: GROUP,
      limit:
        "`none` for what was admitted; `address_rate`, `process_rate`, `site_rate`, `caller_rate`, `body_bytes` or `queue`",
    },
  },
  gatehouse_body_bytes_held: {
    type: "gauge",
    help: "Bytes of request bodies in memory.",
    labels: {},
  },
  gatehouse_anonymous_work_waiting: {
    type: "gauge",
    help: "Requests of callers who have proven nothing that wait for their turn.",
    labels: {},
  },
  gatehouse_addresses_remembered: {
    type: "gauge",
    help: "Addresses and networks whose requests are being counted.",
    labels: {},
  },
  gatehouse_connections_open: { type: "gauge", help: "Open connections.", labels: {} },
  gatehouse_connections_refused_total: {
    type: "counter",
    help: "Connections closed because of a limit.",
    labels: { limit: "`address`, or `process` for idle ones closed to make room" },
  },
  gatehouse_plaintext_refused_total: {
    type: "counter",
    help: "Requests refused because they came without HTTPS.",
    labels: {},
  },
  gatehouse_audit_commits_total: {
    type: "counter",
    help: "Commits to audit logs; what failed did not happen.",
    labels: { result: "`recorded` or `failed`" },
  },
  gatehouse_audit_commits_waiting: {
    type: "gauge",
    help: "Commits waiting for their turn.",
    labels: {},
  },
  gatehouse_audit_logs_held: {
    type: "gauge",
    help: "Logs behind what was published of them: nothing is added to these until an operator acts.",
    labels: {},
    combined: "most",
  },
  gatehouse_rejections_aggregated_total: {
    type: "counter",
    help: "Refusals counted in one record a minute, instead of a record each.",
    labels: { door: "`mandates` or `mcp`" },
  },
  gatehouse_rejections_unwritten: {
    type: "gauge",
    help: "Callers whose counted refusals are not in the log yet; each is written when its minute ends.",
    labels: {},
  },
  gatehouse_mcp_calls_total: {
    type: "counter",
    help: "Tool calls recorded.",
    labels: { outcome: "`answered`, `error`, `refused` or `rate_limited`" },
  },
  gatehouse_mcp_record_bytes_total: {
    type: "counter",
    help: "Bytes of records that tool calls without a proven mandate have added to logs.",
    labels: {},
  },
  gatehouse_mcp_limits_remembered: {
    type: "gauge",
    help: "Sessions, addresses and sites whose calls are being counted.",
    labels: {},
  },
  gatehouse_messages_total: {
    type: "counter",
    help: "Tries to deliver messages.",
    labels: {
      kind: "`webhook` or `mail`",
      result:
        "`delivered`, `not_delivered` (tried again), `refused` by the receiver, or `gone` for good",
    },
  },
  gatehouse_reviews_waiting: {
    type: "gauge",
    help: "Reviews that wait for a person, of all sites; the same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_payments_open: {
    type: "gauge",
    help: "Payments whose end is not known yet, of all sites; the same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_payments_open_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest of them; 0 where there is none.",
    labels: {},
    combined: "own",
  },
  gatehouse_provider_calls_total: {
    type: "counter",
    help: "Calls to payment providers about single payments.",
    labels: {
      provider: "`sandbox` or `stripe`",
      result: "`answered`, or `failed` for a time-out or an error of the provider",
    },
  },
  gatehouse_unsigned_stored_bytes: {
    type: "gauge",
    help: "Bytes of carts, checkouts and replies stored for unsigned callers, of all sites; the same on every node.",
    labels: {},
    combined: "own",
  },
  gatehouse_signed_stored_bytes: {
    type: "gauge",
    help: "Bytes of carts, checkouts and replies stored for platforms that sign, of all sites.",
    labels: {},
    combined: "own",
  },
  gatehouse_fetches_under_way: {
    type: "gauge",
    help: "Requests to other hosts under way: profiles, keys, proofs of domains, webhooks.",
    labels: {},
  },
  gatehouse_fetches_waiting: {
    type: "gauge",
    help: "Requests to other hosts that wait for their turn.",
    labels: {},
  },
  gatehouse_fetches_refused_total: {
    type: "counter",
    help: "Requests to other hosts that were refused because their turn did not come in time.",
    labels: { lane: "`owner`, `stranger`, `known` or `webhook`" },
  },
  gatehouse_payment_declines_total: {
    type: "counter",
    help: "Payments that a provider declined.",
    labels: { caller: "`admitted`: an agent or a platform the owner admitted; else `unlisted`" },
  },
  gatehouse_decline_waits_total: {
    type: "counter",
    help: "Waits that began after declined payments.",
    labels: {
      kind: "who waits: `identity`, `address`, `instrument` or `buyer`; `site`: platforms that are not admitted must send their buyers to the shop",
    },
  },
  gatehouse_decline_refusals_total: {
    type: "counter",
    help: "Purchases refused because the caller has to wait after declined payments.",
    labels: { kind: "who waits, as above; `under_way`: too many payments have no outcome yet" },
  },
  gatehouse_document_bytes: {
    type: "gauge",
    help: "Memory of the signed documents that are kept.",
    labels: {},
  },
  gatehouse_live_site_bytes: {
    type: "gauge",
    help: "Memory of the sites that are kept, with what is made of them.",
    labels: {},
  },
  gatehouse_resident_bytes: {
    type: "gauge",
    help: "Memory of the process, or of all workers.",
    labels: {},
  },
  gatehouse_uptime_seconds: {
    type: "gauge",
    help: "Time since the start; of several workers, since the newest was started.",
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

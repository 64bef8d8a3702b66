/** Whose names messages about a purchase have: UCP's and ours, or only those that Google knows. */
export const ERROR_CODES = ["ucp", "google"] as const;
type ErrorCodes = (typeof ERROR_CODES)[number];

/** How a webhook says when something happened: in seconds, or as a date and time. */
export const WEBHOOK_TIMESTAMPS = ["unix", "iso8601"] as const;
/** What a webhook is named after: a new UUID, or the event that it reports. */
export const WEBHOOK_IDS = ["uuid", "event"] as const;

/** How a platform is notified of its orders. */
interface WebhookConnection {
  /** Null: the address that the platform's profile names. */
  readonly url: string | null;
  /** Headers that are sent with every webhook to `url`, in lower case. */
  readonly headerNames: readonly string[];
  /** Their values, as sealed JSON by name; null if there are none. */
  readonly sealedHeaders: string | null;
  readonly timestamp: (typeof WEBHOOK_TIMESTAMPS)[number];
  readonly id: (typeof WEBHOOK_IDS)[number];
}

/** How an owner connected a platform that needs something else than plain UCP. */
export interface PlatformConnection {
  readonly errorCodes: ErrorCodes;
  readonly webhook: WebhookConnection;
}

/** What UCP says. */
export const UCP_CONNECTION: PlatformConnection = Object.freeze({
  errorCodes: "ucp",
  webhook: Object.freeze({
    url: null,
    headerNames: [],
    sealedHeaders: null,
    timestamp: "unix",
    id: "uuid",
  }),
});

/** Formats that belong together, by the name of the platform that wants them. */
export const PRESETS = {
  ucp: { errorCodes: "ucp", timestamp: "unix", id: "uuid" },
  google: { errorCodes: "google", timestamp: "iso8601", id: "event" },
} as const;
export const PRESET_NAMES = ["ucp", "google"] as const satisfies readonly (keyof typeof PRESETS)[];

/** Binds sealed header values to the platform that they were set for. */
export const headersPlace = (siteKeyHash: string, identity: string): string =>
  `platform webhook headers ${siteKeyHash} ${identity}`;

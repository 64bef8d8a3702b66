/** `json`: events for programs. `slack`, `ntfy`: sentences for a chat or a phone. */
export const WEBHOOK_FORMATS = ["json", "slack", "ntfy"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Where Gatehouse notifies the owner of a site. */
export interface NotifySettings {
  readonly webhookUrl: string | null;
  readonly webhookFormat: WebhookFormat;
  readonly emails: readonly string[];
  /** Whether the owner is notified of new questions. */
  readonly questions: boolean;
  /** When a message was first delivered to one of the addresses, since they were set; null before that. */
  readonly reachedAt: number | null;
}

export const EMAILS_MAX = 10;

/** Where Gatehouse notifies the owner of a site. */
export interface NotifySettings {
  readonly webhookUrl: string | null;
  readonly emails: readonly string[];
}

export const EMAILS_MAX = 10;

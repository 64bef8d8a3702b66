/** A site's own account with a real processor, and what it is used with. */
export interface ProcessorAccount {
  readonly accountId: string;
  readonly siteKeyHash: string;
  readonly kind: "stripe";
  /** Whether real money moves. */
  readonly live: boolean;
  /** What the processor calls the account, where its key may say so. */
  readonly externalId: string | null;
  readonly publishableKey: string | null;
  /** Whether tokens that agents share may be paid with: a preview of the processor's. */
  readonly sharedTokens: boolean;
  /** Erased once the account has ended and nothing asked with it is open. */
  readonly sealedKey: string | null;
  readonly sealedWebhookSecret: string | null;
  readonly sealedApprovalSecret: string | null;
  readonly connectedAt: number;
  readonly endedAt: number | null;
}

/** Which of an account's secrets. */
export type AccountSecret = "key" | "webhook secret" | "approval secret";

/** Where a secret is kept; sealed, it opens nowhere else. */
export const secretPlace = (accountId: string, name: AccountSecret) =>
  `processor account ${accountId} ${name}`;

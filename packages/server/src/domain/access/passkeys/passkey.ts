/** A passkey of a person. Times are milliseconds. */
export interface Passkey {
  /** As the browser names it, base64url. */
  readonly credentialId: string;
  readonly personId: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** How often it was used, if the authenticator counts. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A passkey of a person. Times are milliseconds. */
export interface Passkey {
  /** As the browser names it, base64url. */
  readonly credentialId: string;
  readonly personId: string;
  /** The host that browsers have bound it to; null if that is not known yet. */
  readonly rpId: string | null;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** How often it was used, if the authenticator counts. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Whether browsers offer a passkey at a host. One from before the hosts were stored may be offered. */
export function worksAt({ rpId }: Pick<Passkey, "rpId">, host: string): boolean {
  return rpId === null || rpId === host;
}

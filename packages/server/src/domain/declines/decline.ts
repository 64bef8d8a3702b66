/** The caller of a payment, as declines are counted. Data about a person is a MAC. */
export interface CountedCaller {
  readonly siteKeyHash: string;
  readonly identity: string;
  /** Whether the owner has admitted the caller: an agent, or a platform in the owner's list. */
  readonly admitted: boolean;
  /** Null if a person approved a review, because then there is no caller. */
  readonly addressMac: string | null;
  readonly instrumentMac: string;
  /** Null if the buyer is unknown. */
  readonly buyerMac: string | null;
}

/** Which attempts are counted together; an absent member does not restrict them. */
export interface CountedBy {
  readonly siteKeyHash: string;
  readonly identity?: string;
  readonly admitted?: boolean;
  readonly addressMac?: string;
  readonly instrumentMac?: string;
  readonly buyerMac?: string;
}

export const WAIT_KINDS = ["identity", "address", "instrument", "buyer", "site"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** A wait after declined payments: until when, since when, and how many times in a row. */
export interface Wait {
  readonly siteKeyHash: string;
  readonly kind: WaitKind;
  /** Who has to wait: the kind, then an identity or a MAC. */
  readonly subject: string;
  /** Null for an address and for the site. */
  readonly identity: string | null;
  readonly beganAt: number;
  readonly until: number;
  readonly times: number;
}

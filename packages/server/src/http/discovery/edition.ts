import {
  type SignedCard,
  type SignedCatalog,
  type Signer,
  type SiteSnapshot,
  signCard,
  signCatalog,
  type UcpKey,
} from "@gatehouse/protocol";
import type { Site } from "../../domain/sites/site.js";
import { snapshotOf } from "../../domain/sites/snapshot.js";
import type { ListedKey } from "../../infra/keys/key-ring.js";

/** What an edition is made of. */
export interface EditionParts {
  readonly site: Site;
  readonly signer: Signer;
  /** Reads the key set, which only the did document needs. */
  readonly keys: () => Promise<readonly ListedKey[]>;
  /** Reads the site's own keys, which only the profile for platforms needs. */
  readonly siteKeys: () => Promise<readonly UcpKey[]>;
  readonly baseUrl: string;
  readonly issuedAt: number;
}

/**
 * All documents of a site as of one moment: one snapshot, one key, one date. Each signature is
 * made when a document first needs it, and then shared, so the page carries the very card served.
 */
export class Edition {
  readonly site: Site;
  readonly signer: Signer;
  readonly keys: () => Promise<readonly ListedKey[]>;
  readonly siteKeys: () => Promise<readonly UcpKey[]>;
  readonly issuedAt: number;
  readonly snapshot: SiteSnapshot;
  private signedCard: Promise<SignedCard> | undefined;
  private signedCatalog: Promise<SignedCatalog> | undefined;

  constructor({ site, signer, keys, siteKeys, baseUrl, issuedAt }: EditionParts) {
    this.site = site;
    this.signer = signer;
    this.keys = keys;
    this.siteKeys = siteKeys;
    this.issuedAt = issuedAt;
    this.snapshot = snapshotOf(site, baseUrl);
  }

  card(): Promise<SignedCard> {
    this.signedCard ??= signCard(this.snapshot, this.signer, this.issuedAt);
    return this.signedCard;
  }

  catalog(): Promise<SignedCatalog> {
    this.signedCatalog ??= signCatalog(this.snapshot, this.signer, this.issuedAt);
    return this.signedCatalog;
  }
}

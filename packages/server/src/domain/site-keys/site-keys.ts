import type { KeyObject } from "node:crypto";
import { type Es256Jwk, jwkThumbprint, type Signer, type UcpKey } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { Database } from "../../infra/db/database.js";
import { es256Signer, newEs256Key, openEs256Key } from "../../infra/keys/signatures.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { DAY_MS } from "../../infra/time.js";
import { insertFirstKey, keysOfSite, type StoredSiteKey } from "./store.js";

/** Platforms cache profiles, and verify with the keys in them. */
const LISTED_AFTER_RETIREMENT_MS = 30 * DAY_MS;
/** Unsealed keys in memory. */
const UNSEALED_MAX = 1000;

const sealedNameOf = (siteKeyHash: string, kid: string) =>
  `site_signing_keys/${siteKeyHash}/${kid}`;
const jwkOf = ({ public_x: x, public_y: y }: StoredSiteKey): Es256Jwk => ({
  kty: "EC",
  crv: "P-256",
  x,
  y,
});

/**
 * The keys with which sites sign their answers to platforms: ES256, as UCP requires. A key is made when it
 * is first needed, and shared by all nodes.
 */
export class SiteKeys {
  private readonly db: Database;
  private readonly secrets: Secrets;
  private readonly clock: Clock;
  /** By key id, so that a key is unsealed once. */
  private readonly unsealed = new Map<string, KeyObject>();

  constructor(db: Database, secrets: Secrets, clock: Clock) {
    this.db = db;
    this.secrets = secrets;
    this.clock = clock;
  }

  /** The public keys, the one that signs now first. */
  async listed(siteKeyHash: string): Promise<readonly UcpKey[]> {
    return (await this.keys(siteKeyHash)).map((key) => ({ kid: key.kid, jwk: jwkOf(key) }));
  }

  async signer(siteKeyHash: string): Promise<Signer> {
    const [current] = await this.keys(siteKeyHash);
    if (current === undefined) throw new Error("a site has no key");
    return es256Signer(current.kid, this.open(siteKeyHash, current));
  }

  private async keys(siteKeyHash: string): Promise<readonly StoredSiteKey[]> {
    const since = this.clock.now() - LISTED_AFTER_RETIREMENT_MS;
    const keys = await keysOfSite(this.db, siteKeyHash, since);
    if (keys.length > 0) return keys;
    const first = await this.make(siteKeyHash);
    await this.db.transaction((tx) => insertFirstKey(tx, siteKeyHash, first));
    return keysOfSite(this.db, siteKeyHash, since);
  }

  private async make(siteKeyHash: string): Promise<StoredSiteKey> {
    const jwk = newEs256Key();
    const { x, y } = jwk;
    const kid = await jwkThumbprint({ kty: "EC", crv: "P-256", x, y });
    const sealed = this.secrets.seal(sealedNameOf(siteKeyHash, kid), JSON.stringify(jwk));
    const created_at = this.clock.now();
    return { kid, public_x: x, public_y: y, sealed, created_at, retired_at: null };
  }

  private open(siteKeyHash: string, { kid, sealed }: StoredSiteKey): KeyObject {
    const known = this.unsealed.get(kid);
    if (known !== undefined) return known;
    const key = openEs256Key(JSON.parse(this.secrets.open(sealedNameOf(siteKeyHash, kid), sealed)));
    if (this.unsealed.size >= UNSEALED_MAX) {
      this.unsealed.delete(this.unsealed.keys().next().value as string);
    }
    this.unsealed.set(kid, key);
    return key;
  }
}

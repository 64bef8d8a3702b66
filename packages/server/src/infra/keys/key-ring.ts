import { generateKeyPairSync } from "node:crypto";
import {
  type Ed25519Jwk,
  ed25519Bytes,
  KEY_ID_PREFIXES,
  type KeyPurpose,
  ok,
  type Result,
  refuse,
  type Signer,
  serviceKeyId,
} from "@gatehouse/protocol";
import { StartupError } from "../../startup-error.js";
import type { Clock } from "../clock.js";
import type { Database, Queries, Transaction } from "../db/database.js";
import { ANY_CHANGE } from "../db/database.js";
import type { Secrets } from "../secrets/secrets.js";
import { DAY_MS, MINUTE_MS } from "../time.js";
import { nodeSigner, type PrivateJwk } from "./signatures.js";
import type { KeyAlias } from "./store.js";
import {
  activateKey,
  allKeys,
  insertKey,
  keyAliasFault,
  keyInSlot,
  lockSlots,
  retireKey,
  type StoredKey,
} from "./store.js";

/** Verifiers may cache a key set for five minutes, so a key is announced ten minutes before it signs. */
export const ANNOUNCE_MS_MIN = 10 * MINUTE_MS;
/** Retired keys are listed for 13 months, because signed terms and audit records are verified that long. */
export const LISTED_AFTER_RETIREMENT_MS = 400 * DAY_MS;
export const KEY_TOPIC = "signing_keys";
/** The order in which keys are listed. */
const SLOTS: readonly StoredKey["state"][] = ["current", "next", "retired"];
const PURPOSES = Object.keys(KEY_ID_PREFIXES) as KeyPurpose[];

export interface ListedKey {
  readonly kid: string;
  readonly jwk: Ed25519Jwk;
  readonly state: StoredKey["state"] | "alias";
  readonly listedUntil: number | null;
}

export interface SigningKey {
  readonly signer: Signer;
  readonly jwk: Ed25519Jwk;
}

export interface Rotation {
  /** The key that signs from now on. */
  readonly kid: string;
  readonly retired: string;
}

/** The service's signing keys. Private halves are sealed in the database, shared by all nodes. */
export class KeyRing {
  private readonly db: Database;
  private readonly secrets: Secrets;
  private readonly clock: Clock;
  private readonly aliases: readonly KeyAlias[];
  /** The last read of the keys; undefined if they may have changed since. */
  private loading: Promise<readonly StoredKey[]> | undefined;
  /** Signers by key id, so that a key is unsealed once. */
  private readonly signers = new Map<string, Signer>();

  constructor(db: Database, secrets: Secrets, clock: Clock, aliases: readonly KeyAlias[]) {
    this.db = db;
    this.secrets = secrets;
    this.clock = clock;
    this.aliases = aliases;
  }

  /** Makes the first keys of a new installation, then keeps in step with other processes. */
  async start(): Promise<void> {
    const fault = keyAliasFault(this.aliases, await allKeys(this.db));
    if (fault !== undefined) throw new StartupError(fault);
    await this.db.transaction(async (tx) => {
      for (const purpose of PURPOSES) {
        for (const state of ["current", "next"] as const) {
          if (await keyInSlot(tx, purpose, state)) continue;
          await this.make(tx, purpose, state);
        }
      }
    });
    // Before the first read, so that a rotation during it is not missed.
    this.db.changes.subscribe(({ topic }) => {
      if (topic === KEY_TOPIC || topic === ANY_CHANGE.topic) this.stale();
    });
    await this.check();
  }

  private stale(): void {
    this.loading = undefined;
  }

  private async make(
    tx: Transaction,
    purpose: KeyPurpose,
    state: "next" | "current",
  ): Promise<string> {
    const now = this.clock.now();
    const jwk = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as PrivateJwk;
    const kid = await serviceKeyId(purpose, ed25519Bytes(jwk));
    await insertKey(tx, {
      kid,
      purpose,
      state,
      public_x: jwk.x,
      sealed: this.secrets.seal(`signing_keys/${kid}`, JSON.stringify(jwk)),
      created_at: now,
      activated_at: state === "current" ? now : null,
      retired_at: null,
      listed_until: null,
    });
    return kid;
  }

  /**
   * The current keys. Callers get the result of their own read, so a read that began before a rotation never
   * replaces a later one. A failed read is not cached.
   */
  private fresh(): Promise<readonly StoredKey[]> {
    if (!this.db.changes.live) this.stale();
    if (this.loading === undefined) {
      const loading = this.load();
      loading.catch(() => {
        if (this.loading === loading) this.stale();
      });
      this.loading = loading;
    }
    return this.loading;
  }

  private async load(): Promise<readonly StoredKey[]> {
    const keys = await allKeys(this.db);
    for (const kid of this.signers.keys()) {
      const current = keys.some((key) => key.kid === kid && key.state === "current");
      if (!current) this.signers.delete(kid);
    }
    return keys;
  }

  private unseal({ kid, sealed }: StoredKey): Signer {
    return nodeSigner(kid, JSON.parse(this.secrets.open(`signing_keys/${kid}`, sealed)));
  }

  private async current(purpose: KeyPurpose): Promise<StoredKey> {
    const keys = await this.fresh();
    const current = keys.find((key) => key.purpose === purpose && key.state === "current");
    if (current === undefined) throw new Error(`there is no current ${purpose} key`);
    return current;
  }

  async signer(purpose: KeyPurpose): Promise<Signer> {
    return (await this.signingKey(purpose)).signer;
  }

  /** The key that signs now, and its public half. */
  async signingKey(purpose: KeyPurpose): Promise<SigningKey> {
    const key = await this.current(purpose);
    let signer = this.signers.get(key.kid);
    if (signer === undefined) {
      signer = this.unseal(key);
      this.signers.set(key.kid, signer);
    }
    return { signer, jwk: { kty: "OKP", crv: "Ed25519", x: key.public_x } };
  }

  /**
   * Whether a key signs now, as a transaction sees it. If not, the keys in memory are outdated, and are read
   * again.
   */
  async isCurrent(tx: Queries, purpose: KeyPurpose, kid: string): Promise<boolean> {
    const current = (await keyInSlot(tx, purpose, "current"))?.kid === kid;
    if (!current) this.stale();
    return current;
  }

  /** Public keys of a purpose, by id, including keys that are no longer listed. */
  async everyKey(purpose: KeyPurpose): Promise<ReadonlyMap<string, Ed25519Jwk>> {
    const keys = (await this.fresh()).filter((key) => key.purpose === purpose);
    return new Map(keys.map(({ kid, public_x: x }) => [kid, { kty: "OKP", crv: "Ed25519", x }]));
  }

  /**
   * The keys of a key set, whether or not private keys can be opened: current, announced and retired keys,
   * then older ids.
   */
  async listed(purpose: KeyPurpose): Promise<ListedKey[]> {
    const keys = await this.fresh();
    const now = this.clock.now();
    const own = [...keys]
      .sort((a, b) => SLOTS.indexOf(a.state) - SLOTS.indexOf(b.state))
      .filter((key) => key.purpose === purpose && (key.listed_until ?? Infinity) > now)
      .map(({ kid, state, public_x, listed_until }) => ({
        kid,
        jwk: { kty: "OKP", crv: "Ed25519", x: public_x } as const,
        state,
        listedUntil: listed_until,
      }));
    const older = this.aliases
      .filter(({ until }) => until > now)
      .flatMap(({ alias, kid, until }) =>
        own
          .filter((key) => key.kid === kid)
          .map(({ jwk }) => ({ kid: alias, jwk, state: "alias" as const, listedUntil: until })),
      );
    return [...own, ...older];
  }

  /**
   * Activates the announced key, retires the current one and announces another, in one transaction. Refused
   * if the key was announced too recently, unless forced.
   */
  async rotate(
    purpose: KeyPurpose,
    options: { readonly force?: boolean } = {},
  ): Promise<Result<Rotation, "announced_recently">> {
    const now = this.clock.now();
    const result = await this.db.transaction(async (tx) => {
      const { current, next } = await this.slots(tx, purpose);
      const waitMs = next.created_at + ANNOUNCE_MS_MIN - now;
      if (waitMs > 0 && options.force !== true) {
        return refuse("announced_recently", `${Math.ceil(waitMs / 1000)}`);
      }
      await retireKey(tx, current.kid, now, now + LISTED_AFTER_RETIREMENT_MS);
      await activateKey(tx, next.kid, now);
      await this.make(tx, purpose, "next");
      tx.announce(KEY_TOPIC, purpose);
      return ok({ kid: next.kid, retired: current.kid });
    });
    this.stale();
    return result;
  }

  /**
   * For a stolen key: replaces the current and the announced key, which was stored beside it, and lists
   * neither. What they signed stops verifying when caches expire.
   */
  async replaceStolen(purpose: KeyPurpose): Promise<Rotation> {
    const now = this.clock.now();
    const result = await this.db.transaction(async (tx) => {
      const { current, next } = await this.slots(tx, purpose);
      for (const { kid } of [current, next]) await retireKey(tx, kid, now, now);
      const kid = await this.make(tx, purpose, "current");
      await this.make(tx, purpose, "next");
      tx.announce(KEY_TOPIC, purpose);
      return { kid, retired: current.kid };
    });
    this.stale();
    return result;
  }

  private async slots(tx: Transaction, purpose: KeyPurpose) {
    await lockSlots(tx, purpose);
    const current = await keyInSlot(tx, purpose, "current");
    const next = await keyInSlot(tx, purpose, "next");
    if (current === undefined || next === undefined) throw new Error("a key slot is empty");
    return { current, next };
  }

  /** Throws unless every current key can be opened and used to sign. The reason is only for the log. */
  async check(): Promise<void> {
    this.stale();
    for (const purpose of PURPOSES) {
      await this.unseal(await this.current(purpose)).sign(new Uint8Array(1));
    }
  }
}

import { createHmac, type KeyObject } from "node:crypto";
import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Clock } from "../../../infra/clock.js";
import type { Database, Queries, Transaction } from "../../../infra/db/database.js";
import type { Ids } from "../../../infra/ids.js";
import { networksOf } from "../../../infra/networks.js";
import { AddressLimiter } from "../../../infra/rate-limit/address-limiter.js";
import type { Secrets } from "../../../infra/secrets/secrets.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../infra/time.js";
import { isPersonId, principalOfPerson } from "../people/person.js";
import { accessOf, personById } from "../people/store.js";
import type { Principal } from "../principal.js";
import { tokenById } from "../store.js";
import { isLiveToken } from "../token.js";
import { OPERATOR, principalOfToken, tokenDigest } from "../token-authenticator.js";
import {
  endSession,
  insertCode,
  insertSession,
  liveSession,
  liveSetUpCode,
  markSessionUsed,
  type Session,
  type SignedIn,
  takeCode,
} from "./store.js";

/** How long a session lasts, used or not: a token's ends with the day, a person's with the week. */
const TOKEN_SESSION_MS = 12 * HOUR_MS;
const PERSON_SESSION_MS = 7 * DAY_MS;
/** How long a link from the terminal opens the console. */
const CODE_MS = 10 * MINUTE_MS;
/** How long the first owner has to open the set-up link. */
const SET_UP_MS = HOUR_MS;
/** Sessions of one principal, and open sign-in links of one token. */
const SESSIONS_EACH_MAX = 20;
const SECRET_BYTES = 32;
const WRONG_SECRETS_PER_MINUTE = 10;
/** How exactly the list of sessions knows when one was last used. */
const LAST_USED_STEP_MS = MINUTE_MS;

interface SessionTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** The digest of the operator token, which is in no table. */
  readonly operatorDigest: string;
}

/** Who is signed in, and until when. */
export interface SignedInUser {
  readonly principal: Principal;
  /** The name of the person or token. */
  readonly name: string;
  readonly sessionId: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

/** A new session, with the secret that the browser gets. */
export interface NewSession extends SignedInUser {
  readonly secret: string;
}

/** How somebody signed in. */
export interface SignInFacts {
  readonly device: string;
  /** Whether a passkey proved who it is. */
  readonly confirmed: boolean;
}

/**
 * The sessions of the console. A session depends on its token or person: after the token is revoked or
 * the person removed, the session ends at the next request.
 */
export class ConsoleSessions {
  private readonly tools: SessionTools;
  private readonly macKey: KeyObject;
  private readonly wrongSecrets = new AddressLimiter({ perMinute: WRONG_SECRETS_PER_MINUTE });

  constructor(tools: SessionTools) {
    this.tools = tools;
    this.macKey = tools.secrets.keyFor("console sessions");
  }

  /** Changes when the operator token is replaced. Rows of other principals say themselves if they ended. */
  private macOf(principalId: string): string {
    const { operatorDigest } = this.tools;
    const digest = principalId === OPERATOR.id ? operatorDigest : principalId;
    return createHmac("sha256", this.macKey).update(digest).digest("hex");
  }

  newSecret(): string {
    return toBase64url(this.tools.ids.bytes(SECRET_BYTES));
  }

  /**
   * The code of a link: it signs in once or, with `setUp`, makes the account of the first owner. Anybody who has
   * the link can use it.
   */
  async newCode(
    { id }: Principal,
    { setUp }: { readonly setUp: boolean },
  ): Promise<{ code: string; expiresAt: number }> {
    const { db, clock } = this.tools;
    const code = this.newSecret();
    const expiresAt = clock.now() + (setUp ? SET_UP_MS : CODE_MS);
    const stored = { digest: tokenDigest(code), principalId: id, tokenMac: this.macOf(id) };
    await db.transaction((tx) =>
      insertCode(tx, { ...stored, expiresAt, setUp }, SESSIONS_EACH_MAX),
    );
    return { code, expiresAt };
  }

  /** The operator who made a set-up link; undefined if it does not work. It is not taken. */
  async holderOfSetUp(tx: Transaction, code: string): Promise<Principal | undefined> {
    const setUpCode = await liveSetUpCode(tx, tokenDigest(code), this.tools.clock.now());
    const holder = setUpCode && (await this.holderOf(tx, { ...setUpCode, confirmedAt: null }));
    return holder?.principal.role === "operator" ? holder.principal : undefined;
  }

  /**
   * Runs a sign-in with a secret that could be guessed at. Failures are counted by address. The detail of
   * `rate_limited` is the seconds to wait.
   */
  async limited<Opened>(
    address: string,
    signIn: () => Promise<Opened | undefined>,
  ): Promise<Result<Opened, "unauthorized" | "rate_limited">> {
    const { clock } = this.tools;
    const source = networksOf(address);
    const waitMs = this.wrongSecrets.take(source, clock.now());
    if (waitMs > 0) return refuse("rate_limited", String(Math.ceil(waitMs / 1000)));
    const opened = await signIn();
    if (opened === undefined)
      return refuse("unauthorized", "the link was already used or has expired");
    this.wrongSecrets.refund(source, clock.now());
    return ok(opened);
  }

  /** Signs in with a code. */
  openWithCode(code: string, address: string, facts: SignInFacts) {
    const { db, clock } = this.tools;
    return this.limited(address, () =>
      db.transaction(async (tx) => {
        const taken = await takeCode(tx, tokenDigest(code), clock.now());
        return taken && this.open(tx, taken.principalId, facts, taken.tokenMac);
      }),
    );
  }

  /** Signs in a principal; undefined if they have no access any more. */
  async open(
    tx: Transaction,
    principalId: string,
    { device, confirmed }: SignInFacts,
    tokenMac = this.macOf(principalId),
  ): Promise<NewSession | undefined> {
    const secret = this.newSecret();
    const createdAt = this.tools.clock.now();
    const lastsMs = isPersonId(principalId) ? PERSON_SESSION_MS : TOKEN_SESSION_MS;
    const session: Session = {
      digest: tokenDigest(secret),
      sessionId: this.tools.ids.id("ses"),
      principalId,
      tokenMac,
      createdAt,
      expiresAt: createdAt + lastsMs,
      device,
      lastUsedAt: createdAt,
      confirmedAt: confirmed ? createdAt : null,
    };
    const user = await this.userOf(tx, session);
    if (user === undefined) return undefined;
    await insertSession(tx, session, SESSIONS_EACH_MAX);
    return { secret, ...user };
  }

  /** The user of a session, by the browser's secret; undefined if the session has ended. */
  async admit(secret: string): Promise<SignedInUser | undefined> {
    const { db, clock } = this.tools;
    const now = clock.now();
    const session = await liveSession(db, tokenDigest(secret), now);
    const user = session && (await this.userOf(db, session));
    if (user !== undefined && now - (session?.lastUsedAt ?? 0) >= LAST_USED_STEP_MS) {
      await markSessionUsed(db, tokenDigest(secret), now);
    }
    return user;
  }

  async end(secret: string): Promise<void> {
    await this.endByDigest(tokenDigest(secret));
  }

  async endByDigest(digest: string): Promise<void> {
    await endSession(this.tools.db, digest);
  }

  private async userOf(db: Queries, session: Session): Promise<SignedInUser | undefined> {
    const who = await this.holderOf(db, session);
    const { sessionId, createdAt: openedAt, expiresAt } = session;
    return who && { ...who, sessionId, openedAt, expiresAt };
  }

  private async holderOf(
    db: Queries,
    { principalId, tokenMac, confirmedAt }: SignedIn & Pick<Session, "confirmedAt">,
  ): Promise<Pick<SignedInUser, "principal" | "name"> | undefined> {
    if (tokenMac !== this.macOf(principalId)) return undefined;
    if (principalId === OPERATOR.id) return { principal: OPERATOR, name: OPERATOR.id };
    if (isPersonId(principalId)) {
      const principal = principalOfPerson(
        principalId,
        await accessOf(db, principalId),
        confirmedAt,
      );
      const person = principal && (await personById(db, principalId));
      if (person === undefined || person.removedAt !== null) return undefined;
      return { principal: principal as Principal, name: person.name };
    }
    const token = await tokenById(db, principalId);
    if (token === undefined || !isLiveToken(token, this.tools.clock.now())) return undefined;
    return { principal: principalOfToken(token), name: token.name };
  }
}

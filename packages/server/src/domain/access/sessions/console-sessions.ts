import { createHmac, type KeyObject } from "node:crypto";
import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Clock } from "../../../infra/clock.js";
import type { Database } from "../../../infra/db/database.js";
import type { Ids } from "../../../infra/ids.js";
import { networksOf } from "../../../infra/networks.js";
import { AddressLimiter } from "../../../infra/rate-limit/address-limiter.js";
import type { Secrets } from "../../../infra/secrets/secrets.js";
import { HOUR_MS, MINUTE_MS } from "../../../infra/time.js";
import { tokenById } from "../store.js";
import type { Principal } from "../token.js";
import { OPERATOR, tokenDigest } from "../token-authenticator.js";
import {
  endSession,
  insertCode,
  insertSession,
  liveSession,
  type Session,
  type SignedIn,
  takeCode,
} from "./store.js";

/** How long a session lasts, used or not. */
const SESSION_MS = 12 * HOUR_MS;
/** How long a link from the terminal opens the console. */
const CODE_MS = 10 * MINUTE_MS;
/** Sessions of one token, and open sign-in links of one token. */
const SESSIONS_OF_TOKEN_MAX = 20;
const SECRET_BYTES = 32;
const WRONG_CODES_PER_MINUTE = 10;

interface SessionTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** The digest of the operator's token, which is in no table. */
  readonly operatorDigest: string;
}

/** Who is signed in, and until when. */
export interface SignedInUser {
  readonly principal: Principal;
  /** The name of the token. */
  readonly name: string;
  readonly expiresAt: number;
}

type Bearer = Omit<SignedInUser, "expiresAt">;

/** A new session, with the secret that the browser gets instead of the token. */
export interface NewSession extends SignedInUser {
  readonly secret: string;
}

/**
 * The sessions of the console. A session depends on its token: after the token is revoked or
 * replaced, the session ends at the next request.
 */
export class ConsoleSessions {
  private readonly tools: SessionTools;
  private readonly macKey: KeyObject;
  private readonly wrongCodes = new AddressLimiter({ perMinute: WRONG_CODES_PER_MINUTE });

  constructor(tools: SessionTools) {
    this.tools = tools;
    this.macKey = tools.secrets.keyFor("console sessions");
  }

  /** Changes when the operator's token is replaced. Rows of other tokens say themselves if they are revoked. */
  private macOf(tokenId: string): string {
    const { operatorDigest } = this.tools;
    const digest = tokenId === OPERATOR.tokenId ? operatorDigest : tokenId;
    return createHmac("sha256", this.macKey).update(digest).digest("hex");
  }

  private secret(): string {
    return toBase64url(this.tools.ids.bytes(SECRET_BYTES));
  }

  /** A code that signs in once. Anybody who has the link can use it. */
  async newCode({ tokenId }: Principal): Promise<{ code: string; expiresAt: number }> {
    const { db, clock } = this.tools;
    const code = this.secret();
    const expiresAt = clock.now() + CODE_MS;
    const signedIn = { tokenId, tokenMac: this.macOf(tokenId) };
    await db.transaction((tx) =>
      insertCode(tx, { digest: tokenDigest(code), ...signedIn, expiresAt }, SESSIONS_OF_TOKEN_MAX),
    );
    return { code, expiresAt };
  }

  /** Signs in with a code. The detail of `rate_limited` is the seconds to wait. */
  async openWithCode(
    code: string,
    address: string,
  ): Promise<Result<NewSession, "unauthorized" | "rate_limited">> {
    const { db, clock } = this.tools;
    const source = networksOf(address);
    const waitMs = this.wrongCodes.take(source, clock.now());
    if (waitMs > 0) return refuse("rate_limited", String(Math.ceil(waitMs / 1000)));
    const opened = await db.transaction(async (tx) => {
      const taken = await takeCode(tx, tokenDigest(code), clock.now());
      const who = taken && (await this.bearerOf(taken));
      return who && this.open(who, (session) => insertSession(tx, session, SESSIONS_OF_TOKEN_MAX));
    });
    if (opened === undefined)
      return refuse("unauthorized", "the link was already used or has expired");
    this.wrongCodes.refund(source, clock.now());
    return ok(opened);
  }

  /** Signs in the holder of a token. */
  async openFor({ tokenId }: Principal): Promise<NewSession | undefined> {
    const who = await this.bearerOf({ tokenId, tokenMac: this.macOf(tokenId) });
    if (who === undefined) return undefined;
    return this.open(who, (session) =>
      this.tools.db.transaction((tx) => insertSession(tx, session, SESSIONS_OF_TOKEN_MAX)),
    );
  }

  private async open(
    who: Bearer,
    insert: (session: Session) => Promise<void>,
  ): Promise<NewSession> {
    const secret = this.secret();
    const { tokenId } = who.principal;
    const createdAt = this.tools.clock.now();
    const session = {
      digest: tokenDigest(secret),
      tokenId,
      tokenMac: this.macOf(tokenId),
      createdAt,
      expiresAt: createdAt + SESSION_MS,
    };
    await insert(session);
    return { secret, ...who, expiresAt: session.expiresAt };
  }

  /** The user of a session, by the browser's secret; undefined if the session has ended. */
  async admit(secret: string): Promise<SignedInUser | undefined> {
    const { db, clock } = this.tools;
    const session = await liveSession(db, tokenDigest(secret), clock.now());
    const who = session && (await this.bearerOf(session));
    return who && { ...who, expiresAt: session.expiresAt };
  }

  async end(secret: string): Promise<void> {
    await endSession(this.tools.db, tokenDigest(secret));
  }

  private async bearerOf({ tokenId, tokenMac }: SignedIn): Promise<Bearer | undefined> {
    if (tokenMac !== this.macOf(tokenId)) return undefined;
    if (tokenId === OPERATOR.tokenId) return { principal: OPERATOR, name: OPERATOR.tokenId };
    const token = await tokenById(this.tools.db, tokenId);
    if (token === undefined || token.revokedAt !== null) return undefined;
    const { role, sites, name } = token;
    return { principal: { tokenId, role, sites }, name };
  }
}

import type { AuditLog } from "../../domain/audit/audit-log.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import { isoTime } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";

/** A token in records: its id and role, never its name or its secret. */
export interface RecordedToken {
  readonly tokenId: string;
  readonly role: string;
  /** Site key hashes it is limited to; null for all. */
  readonly sites: readonly string[] | null;
  /** From when it no longer works; absent or null for never. */
  readonly expiresAt?: number | null;
}

interface TokenChange {
  readonly actor: Actor;
  readonly now: number;
  /** The token it was revoked with, from which it descends. */
  readonly ancestor?: string | undefined;
}

/**
 * The records of a token, in the logs of the sites it names, or in the installation's log if it names none.
 * A site's log does not name the other sites of a token.
 */
export function tokenDrafts(
  type: "token.issued" | "token.revoked",
  { tokenId, role, sites, expiresAt = null }: RecordedToken,
  { actor, now, ancestor }: TokenChange,
): RecordDraft[] {
  const isShown = type === "token.issued" && expiresAt !== null;
  const expiry = isShown ? { expires_at: isoTime(expiresAt) } : {};
  const token = { token_id: tokenId, role, ...expiry };
  const content = ancestor === undefined ? { token } : { token, revoked_with: ancestor };
  const draft = actorDraft(type, actor, now, content);
  return (sites ?? [INSTALLATION]).map((siteKeyHash) => ({ ...draft, siteKeyHash }));
}

/**
 * Moves records of frozen logs to the installation's log, because a token must be revocable even if a
 * site's log cannot be written.
 */
export async function inWritableLogs(
  audit: AuditLog,
  tx: Queries,
  drafts: readonly RecordDraft[],
): Promise<RecordDraft[]> {
  const moved: RecordDraft[] = [];
  for (const draft of drafts) {
    const site = draft.siteKeyHash ?? INSTALLATION;
    const head = await audit.newest(tx, site);
    const frozen = head !== undefined && audit.freezeReason(head.chain) !== undefined;
    if (!frozen || site === INSTALLATION) moved.push(draft);
    else
      moved.push({ ...draft, siteKeyHash: INSTALLATION, content: { ...draft.content, of: site } });
  }
  return moved;
}

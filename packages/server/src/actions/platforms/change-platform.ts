import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { UCP_CONNECTION } from "../../domain/platforms/connection.js";
import { deleteCredentials, liveCredentialIds } from "../../domain/platforms/credentials/store.js";
import type { ListedStatus, Platform } from "../../domain/platforms/platform.js";
import {
  countListed,
  deletePlatform,
  LISTED_PLATFORMS_MAX,
  platformByIdentity,
  writePlatform,
} from "../../domain/platforms/store.js";
import { insertRevocations, siteScopedId } from "../../domain/revocations/store.js";
import { isSharedSuffix, type WebName, webName } from "../../infra/web-name.js";
import { hostNamed, NOT_LISTED } from "./read-platforms.js";

/** An owner's changes to a platform. Absent members do not change. */
export interface PlatformChange {
  readonly status: ListedStatus;
  readonly name?: string | null | undefined;
  readonly note?: string | null | undefined;
}

/** The host or domain that an owner names. */
function readName(text: string): Result<WebName, "invalid_request"> {
  const name = /[/?#@:\s]/.test(text) ? undefined : webName(`https://${text}/`);
  if (name === undefined) {
    return refuse("invalid_request", "Use a domain or a host, such as platform.example.");
  }
  if (isSharedSuffix(name.host)) {
    const detail = `Many owners share ${name.host}. Use the host of one owner.`;
    return refuse("invalid_request", detail);
  }
  return ok(name);
}

/** Admits or suspends a platform. It applies to the very next decision, on every node. */
export async function changePlatform(
  { audit, clock, revocations }: Context,
  siteKeyHash: string,
  text: string,
  { status, name, note }: PlatformChange,
  actor: Actor,
): Promise<Result<Platform, "invalid_request" | "conflict">> {
  const read = readName(text);
  if (!read.ok) return read;
  const { host: identity, domain } = read.value;
  type Answer = Result<Platform, "conflict">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const before = await platformByIdentity(tx, siteKeyHash, identity);
    const listed = before !== undefined && before.status !== "seen";
    if (!listed && (await countListed(tx, siteKeyHash)) >= LISTED_PLATFORMS_MAX) {
      const why = `The list has ${LISTED_PLATFORMS_MAX} platforms, which is the limit. Remove one first.`;
      return { records: [], answer: refuse("conflict", why) };
    }
    const platform: Platform = {
      siteKeyHash,
      identity,
      domain,
      status,
      name: name === undefined ? (before?.name ?? null) : name,
      note: note === undefined ? (before?.note ?? null) : note,
      profileUrl: before?.profileUrl ?? null,
      firstSeenAt: before?.firstSeenAt ?? null,
      lastSeenAt: before?.lastSeenAt ?? null,
      createdAt: before?.createdAt ?? now,
      changedBy: actor.id,
      changedAt: now,
      connection: before?.connection ?? UCP_CONNECTION,
    };
    await writePlatform(tx, platform);
    if (status === "suspended") {
      const id = siteScopedId(siteKeyHash, identity);
      await insertRevocations(tx, [{ kind: "platform", id, revokedAt: now }]);
    }
    const change = { kind: `platform_${status}`, platform: identity };
    return { records: [actorDraft("site.changed", actor, now, { change })], answer: ok(platform) };
  });
  if (status === "suspended") await revocations.write();
  return answer;
}

/**
 * Removes a platform from the list, with its credentials and the times it was seen. It is new when it calls
 * again. A restored database must not bring its credentials back, so they count as revoked.
 */
export async function removePlatform(
  { audit, clock, revocations }: Context,
  siteKeyHash: string,
  text: string,
  actor: Actor,
): Promise<Result<true, "not_found">> {
  type Answer = Result<true, "not_found">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const before = await platformByIdentity(tx, siteKeyHash, hostNamed(text));
    if (before === undefined) return { records: [], answer: refuse("not_found", NOT_LISTED) };
    const { identity } = before;
    const ended = await liveCredentialIds(tx, siteKeyHash, identity, now);
    await insertRevocations(
      tx,
      ended.map((id) => ({ kind: "platform_credential", id, revokedAt: now })),
    );
    await deleteCredentials(tx, siteKeyHash, identity);
    await deletePlatform(tx, siteKeyHash, identity);
    const change = { kind: "platform_forgotten", platform: identity };
    const record = actorDraft("site.changed", actor, now, { change });
    return { records: [record], answer: ok(true) };
  });
  if (answer.ok) await revocations.write();
  return answer;
}

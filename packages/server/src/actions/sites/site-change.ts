import { canonicalize, type JsonValue, sha256, toHex, utf8 } from "@gatehouse/protocol";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Site } from "../../domain/sites/site.js";

/** The kinds of change in records, docs and the console. */
export type SiteChangeKind =
  | "created"
  | "changed"
  | "skills_set"
  | "verified"
  | "unverified"
  | "paused"
  | "resumed"
  | "deleted";

const digestOf = async (value: unknown) =>
  toHex(await sha256(utf8(canonicalize(value as JsonValue))));

/** The ids of the skills that a change has added, removed and changed. */
function skillChanges({ skills }: Site, before: Site) {
  const find = (list: Site["skills"], id: string) => list.find((one) => one.id === id);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const kept = skills.filter(({ id }) => find(before.skills, id) !== undefined);
  const idsOf = (list: Site["skills"]) => list.map(({ id }) => id);
  return {
    added: idsOf(skills.filter(({ id }) => find(before.skills, id) === undefined)),
    removed: idsOf(before.skills.filter(({ id }) => find(skills, id) === undefined)),
    changed: idsOf(kept.filter((one) => !isSame(one, find(before.skills, one.id)))),
  };
}

/** The record of a change of a site: the actor, the kind, and a digest of what agents now see. */
export async function siteChange(
  kind: SiteChangeKind,
  site: Site,
  {
    actor,
    now,
    fields,
    before,
  }: { actor: Actor; now: number; fields?: readonly string[]; before?: Site },
): Promise<RecordDraft> {
  const { name, description, domain, skills, status, version, auditPublic, verification } = site;
  const settings = {
    picture: site.picture,
    audit_public: auditPublic,
    ucp_version: site.ucpVersion,
    published_feeds: { ...site.publishedFeeds, formats: [...site.publishedFeeds.formats] },
  };
  const proof =
    kind === "verified" ? { method: verification.method, reason: verification.reason } : {};
  const shown = { audit_public: auditPublic, description, domain, name, skills };
  const change = {
    kind,
    domain,
    status,
    version,
    ...proof,
    ...(fields === undefined ? {} : { fields }),
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => fields?.includes(name))),
    ...(kind === "skills_set" ? { skills: skills.map(({ id }) => id) } : {}),
    ...(before === undefined ? {} : skillChanges(site, before)),
    settings_digest: await digestOf(shown),
  };
  const draft = actorDraft("site.changed", actor, now, { change });
  return { ...draft, siteKeyHash: site.siteKeyHash };
}

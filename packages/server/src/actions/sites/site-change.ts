import { canonicalize, type JsonValue, sha256, toHex, utf8 } from "@gatehouse/protocol";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Site } from "../../domain/sites/site.js";

/** What was done to a site, in one word for records, docs and the console. */
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

/** Records a change of a site: who, what, and a digest of what agents are told of it since. */
export async function siteChange(
  kind: SiteChangeKind,
  site: Site,
  { actor, now, fields }: { actor: Actor; now: number; fields?: readonly string[] },
): Promise<RecordDraft> {
  const { name, description, domain, skills, status, version, auditPublic, verification } = site;
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
    ...(fields?.includes("audit_public") === true ? { audit_public: auditPublic } : {}),
    ...(kind === "skills_set" ? { skills: skills.map(({ id }) => id) } : {}),
    settings_digest: await digestOf(shown),
  };
  const draft = actorDraft("site.changed", actor, now, { change });
  return { ...draft, siteKeyHash: site.siteKeyHash };
}

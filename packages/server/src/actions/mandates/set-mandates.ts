import { ok, parseUrl, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { MandateSettings } from "../../domain/mandate-settings/mandate-settings.js";
import { mandateSettings, writeMandateSettings } from "../../domain/mandate-settings/store.js";
import { touchSite } from "../../domain/sites/store.js";

export type MandateChanges = {
  readonly [Name in keyof MandateSettings]?: MandateSettings[Name] | undefined;
};

/** `https://agent.example`, without a path. */
function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url?.protocol === "https:" && url.origin === text;
}

/** Changes the settings of mandates. Absent members do not change. */
export async function setMandates(
  { audit, clock }: Context,
  siteKeyHash: string,
  changes: MandateChanges,
  actor: Actor,
): Promise<Result<MandateSettings, "invalid_request">> {
  if (!(changes.autoAdmit ?? []).every(isOrigin)) {
    return refuse(
      "invalid_request",
      "auto_admit: must be a list of origins such as https://agent.example.",
    );
  }
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const before = await mandateSettings(tx, siteKeyHash);
    const after: MandateSettings = {
      enabled: changes.enabled ?? before.enabled,
      lifeMs: changes.lifeMs ?? before.lifeMs,
      autoAdmit: changes.autoAdmit ?? before.autoAdmit,
    };
    const now = clock.now();
    await writeMandateSettings(tx, siteKeyHash, after);
    // Skills that buy are advertised only while mandates are on.
    if (after.enabled !== before.enabled) await touchSite(tx, siteKeyHash, now);
    const change = {
      kind: "mandates_set",
      enabled: after.enabled,
      lifetime_seconds: after.lifeMs / 1000,
      auto_admit: after.autoAdmit,
    };
    const record = actorDraft("site.changed", actor, now, { change });
    return { records: [record], answer: after };
  });
  return ok(answer);
}

import { buyingText } from "@gatehouse/protocol";
import type { AdminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { type DeclinesBody, declinesOf } from "../declines.js";
import type { SiteBody } from "../find-site.js";
import { requirementName } from "../requirement-names.js";
import { MINUTE_MS } from "../time.js";
import type { SiteFinding } from "./finding.js";

/** What stands between a site and selling to agents (contract 1.9). */
interface Gates {
  readonly sells: boolean;
  /** The skills that buy and that agents are told of. */
  readonly offered: readonly string[];
  readonly missing: readonly { readonly name: string; readonly advice: string }[];
  readonly gates: readonly {
    readonly name: string;
    readonly open: boolean;
    readonly advice?: string;
  }[];
}

export function gatesOf(client: AdminClient, { site_key_hash }: SiteBody): Promise<Gates> {
  return client.call<Gates>("GET", `/v1/admin/sites/${site_key_hash}/processor`);
}

/** Reported only for a paused site. */
export function checkPause({ paused_at, domain }: SiteBody): readonly SiteFinding[] {
  if (paused_at === null) return [];
  const observation = `paused since ${paused_at}: agents cannot buy`;
  const advice = `Resume sales: \`gatehouse site resume ${domain}\`.`;
  return [{ item: "sales", state: "missing", found: observation, advice }];
}

/** A provider that works reports the outcome of a payment long before. */
const UNRESOLVED_MS_MAX = 10 * MINUTE_MS;

/** Reported only while the outcome of a payment has been unknown for a while. */
function checkProvider({ unresolved, unresolved_since }: DeclinesBody): readonly SiteFinding[] {
  if (unresolved_since === null) return [];
  if (Date.now() - Date.parse(unresolved_since) < UNRESOLVED_MS_MAX) return [];
  const observation = `${counted(unresolved, "payment")} without a known outcome since ${unresolved_since}`;
  const advice = "The payment provider does not answer. Check its status page and your key.";
  return [{ item: "payment provider", state: "wrong", found: observation, advice }];
}

/** Reported only while somebody has to wait after declined payments, or the provider does not answer. */
export async function checkPayments(
  client: AdminClient,
  site: SiteBody,
): Promise<readonly SiteFinding[]> {
  const declines = await declinesOf(client, site);
  return [...checkProvider(declines), ...checkDeclines(declines, site)];
}

function checkDeclines(
  { declined, hand_off_until, waiting }: DeclinesBody,
  site: SiteBody,
): readonly SiteFinding[] {
  if (waiting.length === 0 && hand_off_until === null) return [];
  const off =
    hand_off_until === null
      ? ""
      : `, platforms you have not admitted cannot pay by themselves until ${hand_off_until}`;
  const observation = `${counted(declined, "payment")} declined in the last 10 minutes, ${counted(waiting.length, "agent or platform", "agents or platforms")} waiting${off}`;
  const advice = `See who: \`gatehouse site declines ${site.domain}\`.`;
  return [{ item: "declined payments", state: "missing", found: observation, advice }];
}

/** Each gate of checkout: ready, or what makes it so. Not to sell may be what the owner wants. */
export function checkGates({ gates }: Gates): readonly SiteFinding[] {
  return gates.map(({ name, open, advice }) => {
    const item = `selling: ${requirementName(name)}`;
    if (open) return { item, state: "good", found: "ready" };
    const observation = "not ready: nobody can buy";
    return {
      item,
      state: "missing",
      found: observation,
      ...(advice === undefined ? {} : { advice }),
    };
  });
}

/** What no gate guards: without it no purchase can succeed, so none is offered. */
export function checkOffer({ gates, missing, offered }: Gates): readonly SiteFinding[] {
  if (gates.some(({ open }) => !open)) return [];
  const item = "selling";
  const sentence = buyingText(offered);
  if (offered.length > 0) return [{ item, state: "good", found: sentence }];
  const advice = missing.map((obstacle) => obstacle.advice).join(" ");
  return [{ item, state: "missing", found: sentence, advice }];
}

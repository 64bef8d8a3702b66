import { COMPLETE_CHECKOUT, PLACE_ORDER, type SkillSetting } from "@gatehouse/protocol";
import { type AdminClient, RefusedError } from "./admin-client.js";
import type { SiteBody } from "./find-site.js";
import { plainText } from "./terminal.js";

/** What is known of a connected Stripe account. */
export interface StripeAccount {
  readonly account: string | null;
  readonly events_url: string;
  readonly webhook_secret_set: boolean;
}

interface ProcessorBody {
  readonly kind: string | null;
  readonly live: boolean;
  readonly stripe?: StripeAccount | null;
  /** The skills that buy and that agents are told of. */
  readonly offered: readonly string[];
  /** What keeps agents from buying. */
  readonly missing: readonly { readonly name: string; readonly advice: string }[];
}

interface Check {
  readonly name: string;
  readonly open: boolean;
  /** What has to be done. */
  readonly advice?: string;
  /** The command that does it. */
  readonly command?: string;
}

/** That the shop system of a site does not answer. */
export interface ShopSilence {
  readonly since: string;
  readonly problem: string;
}

/** In the zone of this machine, which is named. */
const TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" });

export const silenceText = ({ since, problem }: ShopSilence): string =>
  `The shop system has not given a valid answer since ${TIME.format(new Date(since))}: ${plainText(problem)}.`;

/** Whether agents can buy from a site, and what is missing. */
export interface Readiness {
  readonly processor: ProcessorBody;
  readonly checks: readonly Check[];
  /** Null if the shop system answers, there is none, or the token may not see it. */
  readonly shop_unanswered: ShopSilence | null;
  /** Whether agents can buy here in every way there is. */
  readonly can_buy: boolean;
  /** Whether platforms can, by UCP, which needs no skill switched on. */
  readonly can_check_out: boolean;
}

/** What agents need before they can buy, in the order of setup, with the command for each. */
const COMMANDS: Readonly<Record<string, (site: string) => string>> = {
  domain: (site) => `gatehouse site show ${site}`,
  sales: (site) => `gatehouse site resume ${site}`,
  processor: (site) => `gatehouse site connect ${site} --processor sandbox|stripe`,
  rail: (site) => `gatehouse site connect ${site} --rail`,
  settlement: (site) => `gatehouse site connect ${site} --settle`,
  policy: (site) => `gatehouse policy publish ${site} policy.json`,
  wallet: (site) => `gatehouse site connect ${site} --wallet <merchant_id>`,
  products: (site) => `gatehouse product import ${site} products.csv`,
  mandates: (site) => `gatehouse site mandates ${site} --on`,
  rules: (site) => `gatehouse policy publish ${site} policy.json`,
};

/** `place_order` has a switch of its own; without it agents can still buy by UCP. */
function checkSkill(domain: string, skills: readonly SkillSetting[]): Check {
  const skill = skills.find(({ id }) => id === PLACE_ORDER);
  if (skill?.enabled === true) return { name: "skill", open: true };
  const verb = skill === undefined ? "set" : "enable";
  const advice = `Turn on ${PLACE_ORDER} (only needed for mandates).`;
  return {
    name: "skill",
    open: false,
    advice,
    command: `gatehouse skill ${verb} ${domain} ${PLACE_ORDER}`,
  };
}

async function silenceOf(
  client: AdminClient,
  { site_key_hash }: SiteBody,
): Promise<ShopSilence | null> {
  const path = `/v1/admin/sites/${site_key_hash}/shop-connection`;
  try {
    const { unanswered } = await client.call<{ unanswered: ShopSilence | null }>("GET", path);
    return unanswered;
  } catch (error) {
    const isHidden =
      error instanceof RefusedError && ["not_found", "forbidden"].includes(error.reason);
    if (isHidden) return null;
    throw error;
  }
}

/** Asks the service what keeps agents from buying. */
export async function readinessOf(client: AdminClient, site: SiteBody): Promise<Readiness> {
  const { domain, site_key_hash } = site;
  const at = <T>(rest: string) => client.call<T>("GET", `/v1/admin/sites/${site_key_hash}${rest}`);
  const processor = await at<ProcessorBody>("/processor");
  const { skills } = await at<{ skills: readonly SkillSetting[] }>("/skills");
  const checks = Object.entries(COMMANDS).map(([name, command]): Check => {
    const missing = processor.missing.find((obstacle) => obstacle.name === name);
    if (missing === undefined) return { name, open: true };
    return { name, open: false, advice: missing.advice, command: command(domain) };
  });
  const skill = checkSkill(domain, skills);
  const canCheckOut = processor.offered.includes(COMPLETE_CHECKOUT);
  return {
    processor,
    checks: [...checks, skill],
    shop_unanswered: await silenceOf(client, site),
    can_buy: canCheckOut && processor.offered.includes(PLACE_ORDER),
    can_check_out: canCheckOut,
  };
}

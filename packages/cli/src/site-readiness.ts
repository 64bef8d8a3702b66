import { PLACE_ORDER, type SkillSetting } from "@gatehouse/protocol";
import type { AdminClient } from "./admin-client.js";
import type { SiteBody } from "./find-site.js";

interface Gate {
  readonly name: string;
  readonly open: boolean;
  /** What has to be done. */
  readonly advice?: string;
}

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
  readonly gates: readonly Gate[];
}

interface Check extends Gate {
  /** The command that does it. */
  readonly command?: string;
}

/** Whether agents can buy from a site, and what is missing. */
export interface Readiness {
  readonly processor: ProcessorBody;
  readonly checks: readonly Check[];
  /** Whether agents can buy here in every way there is. */
  readonly can_buy: boolean;
  /** Whether platforms can, by UCP: that needs neither a skill switched on nor mandates. */
  readonly can_check_out: boolean;
}

/** What opens the gates of the service. */
const COMMANDS: Readonly<Record<string, (site: string) => string>> = {
  processor: (site) => `gatehouse site connect ${site} --processor sandbox|stripe`,
  rail: (site) => `gatehouse site connect ${site} --rail`,
  settlement: (site) => `gatehouse site connect ${site} --settle`,
  policy: (site) => `gatehouse policy publish ${site} policy.json`,
  wallet: (site) => `gatehouse site connect ${site} --wallet <merchant_id>`,
};

const check = (name: string, open: boolean, advice: string, command: string): Check =>
  open ? { name, open } : { name, open, advice, command };

/** Looks at the gates, and at what no gate guards: what is offered, sold and taken. */
export async function readinessOf(client: AdminClient, site: SiteBody): Promise<Readiness> {
  const { domain, site_key_hash } = site;
  const at = <T>(rest: string) => client.call<T>("GET", `/v1/admin/sites/${site_key_hash}${rest}`);
  const processor = await at<ProcessorBody>("/processor");
  const { skills } = await at<{ skills: readonly SkillSetting[] }>("/skills");
  const { items: products } = await at<{ items: readonly unknown[] }>("/products?limit=1");
  const { enabled: taken } = await at<{ enabled: boolean }>("/mandates");
  const offered = skills.find(({ id }) => id === PLACE_ORDER);
  const verb = offered === undefined ? "set" : "enable";
  const checks = [
    check(
      ...(["domain", site.status === "verified", "Prove that the domain is yours."] as const),
      `gatehouse site show ${domain}`,
    ),
    ...(site.paused_at === null
      ? []
      : [check("sales", false, "Sales are paused.", `gatehouse site resume ${domain}`)]),
    ...processor.gates.map(({ name, open, advice = "" }) =>
      check(name, open, advice, COMMANDS[name]?.(domain) ?? `gatehouse site show ${domain}`),
    ),
    check(
      ...([
        "skill",
        offered?.enabled === true,
        `Offer ${PLACE_ORDER} (for mandates only).`,
      ] as const),
      `gatehouse skill ${verb} ${domain} ${PLACE_ORDER}`,
    ),
    check(
      ...(["products", products.length > 0, "Say what you sell."] as const),
      `gatehouse product import ${domain} products.csv`,
    ),
    check(
      ...(["mandates", taken, "Take mandates (UCP needs none)."] as const),
      `gatehouse site mandates ${domain} --on`,
    ),
  ];
  const common = checks.filter(({ name }) => name !== "skill" && name !== "mandates");
  return {
    processor,
    checks,
    can_buy: checks.every(({ open }) => open),
    can_check_out: common.every(({ open }) => open),
  };
}

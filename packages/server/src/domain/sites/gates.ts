import {
  FULL_OFFER,
  type JsonObject,
  type LiveSkill,
  liveSkills,
  NO_OFFER,
  paymentHandlers,
} from "@gatehouse/protocol";
import type { Site } from "./site.js";

/** A condition for selling to agents (contract 1.9). */
export interface Gate {
  readonly name: "processor" | "rail" | "settlement" | "policy" | "wallet";
  readonly open: boolean;
  /** What the owner has to do while it is closed. */
  readonly advice: string;
}

/** Whether nothing that is bought costs money. */
export function isTestMode({ provider }: Pick<Site, "provider">): boolean {
  return provider?.live === false;
}

/** The five gates, in the order in which an owner opens them. */
export function gatesOf({ provider, policyPublished }: Site): readonly Gate[] {
  const wallet = provider?.live !== true || provider.walletMerchantId !== null;
  return [
    {
      name: "processor",
      open: provider !== null,
      advice: "Connect a payment provider.",
    },
    {
      name: "rail",
      open: provider?.railOn === true,
      advice: "Let agents pay through the payment provider.",
    },
    {
      name: "settlement",
      open: provider?.settles === true,
      advice: "Confirm that the payment provider pays out to you.",
    },
    { name: "policy", open: policyPublished, advice: "Publish your rules." },
    { name: "wallet", open: wallet, advice: "Set your Google Pay merchant id." },
  ];
}

/** Whether agents can buy: every gate is open, and sales are not paused. */
export function sells(site: Site): boolean {
  const allowed = site.status === "verified" && site.pausedAt === null;
  return allowed && gatesOf(site).every(({ open }) => open);
}

/** What mandates may ask for now. It can be more than is offered: what has begun can be completed. */
export function skillsOf(site: Site): readonly LiveSkill[] {
  return liveSkills(site.skills, site.name, sells(site) ? FULL_OFFER : NO_OFFER);
}

/** Why a shop sells nothing now, for a platform. */
export function closedMessage({ pausedAt }: Site): string {
  if (pausedAt === null) return "This shop does not sell to agents at the moment.";
  return "The shop has paused sales. Nothing was charged. Try again later.";
}

/** The payment handlers in UCP's format; null while a gate is closed. */
export function handlersOf(site: Site): JsonObject | null {
  const { provider } = site;
  return provider !== null && sells(site) ? paymentHandlers(site, provider) : null;
}

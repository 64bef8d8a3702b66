import { siteAddresses } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { OwnProfiles } from "../../domain/own-profiles/own-profiles.js";
import type { SiteKeys } from "../../domain/site-keys/site-keys.js";
import { siteOrigin } from "../../domain/sites/proof.js";
import { domainOfSite } from "../../domain/sites/store.js";
import type { Database } from "../../infra/db/database.js";
import { WebhookSender } from "../../infra/webhook-sender.js";

type SenderTools = Omit<ConstructorParameters<typeof WebhookSender>[0], "shopOf">;

/** Sends the installation's messages, and each shop's messages signed with the shop's key. */
export function webhookSender(
  { baseUrl, fetchAllow }: Config,
  { db, siteKeys, ...tools }: SenderTools & { readonly db: Database; readonly siteKeys: SiteKeys },
): WebhookSender {
  const ownProfiles = new OwnProfiles({ db, ...tools });
  // UCP: a business serves its profile at `/.well-known/ucp`. If it does not, the profile here is named.
  const profileUrlOf = async (siteKeyHash: string) => {
    const domain = await domainOfSite(db, siteKeyHash);
    const own = `${siteOrigin(domain ?? "", fetchAllow)}/.well-known/ucp`;
    if (domain !== undefined && (await ownProfiles.isServed(siteKeyHash, own))) return own;
    return siteAddresses(baseUrl, { siteKey: siteKeyHash, siteKeyHash }).ucpProfile;
  };
  const shopOf = async (siteKeyHash: string) => ({
    signer: await siteKeys.signer(siteKeyHash),
    profileUrl: await profileUrlOf(siteKeyHash),
  });
  return new WebhookSender({ ...tools, shopOf });
}

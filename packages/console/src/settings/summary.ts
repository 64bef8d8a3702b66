import { buyingText } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { domainText, useMay, useSite } from "../layout/sites.js";
import { countText } from "../ui/words.js";
import { retentionQuery } from "./buyers.js";
import { notificationsQuery } from "./notify-query.js";
import { SETTINGS_PARTS, type SettingsPartName } from "./parts.js";
import { type Processor, processorQuery } from "./processor.js";
import { liveActions, skillsQuery } from "./skills-query.js";

function paymentsText({ kind, live, missing, offered }: Processor): string {
  if (kind === null) return "No payment provider is connected.";
  const provider = kind === "stripe" ? "Stripe" : "The sandbox";
  const mode = live ? "is connected for real payments" : "is connected in test mode";
  return `${provider} ${mode}. ${missing.length === 0 ? buyingText(offered) : "Something is missing."}`;
}

/** What a part of the settings says now, in a sentence. Parts that say nothing are described. */
export function useSummaries(): Readonly<Record<SettingsPartName, string>> {
  const { path, site } = useSite();
  const mayChange = useMay("owner");
  const processor = useQuery(processorQuery(path));
  const skills = useQuery(skillsQuery(path));
  const notified = useQuery({ ...notificationsQuery(path), enabled: mayChange });
  const retention = useQuery({ ...retentionQuery(path), enabled: mayChange });
  const purposes = Object.fromEntries(
    Object.entries(SETTINGS_PARTS).map(([name, part]) => [name, part.purpose]),
  ) as Record<SettingsPartName, string>;
  purposes.site = domainText(site);
  if (processor.data !== undefined) purposes.payments = paymentsText(processor.data);
  if (skills.data !== undefined) {
    const on = liveActions(skills.data);
    purposes.skills = `${countText(on.length, "action")} on. Search and checkout need none.`;
  }
  if (notified.data !== undefined) {
    const { emails, webhook_url } = notified.data;
    const places = [...emails, ...(webhook_url === null ? [] : ["a webhook"])];
    purposes.notifications =
      places.length === 0 ? "Nobody is notified yet." : `We notify ${places.join(", ")}.`;
  }
  if (retention.data !== undefined) {
    const { days } = retention.data;
    purposes.buyers =
      days === null
        ? "Kept until you erase it."
        : `Erased ${countText(days, "day")} after an order has ended.`;
  }
  return purposes;
}

import { builtInSkill } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Agent } from "../../domain/agents/agent.js";
import { countryName } from "../../domain/buyer-words/words.js";
import { type Checkout, chosenAddress } from "../../domain/checkouts/checkout.js";
import type { Review } from "../../domain/reviews/review.js";
import type { Site } from "../../domain/sites/site.js";
import { plainLine, quoted, unlinked } from "../../infra/mail/text.js";
import type { NoticeWords } from "./chat-message.js";
import { type Fact, factLines, localTime, moneyWords } from "./notice-words.js";

/** A request that needs review. */
export interface ReviewNotice {
  readonly site: Site;
  readonly review: Review;
  readonly agent: Pick<Agent, "name" | "source">;
  /** The name that the owner gave the platform; null for a platform without one, and for an agent. */
  readonly platformName?: string | null | undefined;
  /** The title of the rule that requires the review. */
  readonly ruleTitle: string | null;
  /** The zone of the shop, or else of its rules. */
  readonly timeZone: string;
  /** The checkout that it completes; undefined for a mandate. */
  readonly checkout?: Checkout | undefined;
  readonly now: number;
}

/** The page of the console where people decide it. */
export function reviewPage(baseUrl: string, domain: string, escalationId: string): string {
  return `${baseUrl}/console/${domain}/reviews/${escalationId}`;
}

/** What a mail calls the skills that buy; the others have titles. */
const BUYING: Readonly<Record<string, string>> = {
  place_order: "Buy something",
  complete_checkout: "Buy at checkout",
};

function skillTitle({ skills }: Site, id: string): string {
  const own = skills.find((skill) => skill.id === id)?.title;
  return own ?? BUYING[id] ?? builtInSkill(id)?.title ?? id;
}

/** Some texts of strangers in one line, without what a mail program would turn into a link. */
const joined = (...parts: readonly unknown[]) =>
  unlinked(parts.filter((part) => typeof part === "string" && part !== "").join(" "));

/** Who buys, and where the goods go: what a person sends a parcel by. */
function buyerFacts({ content, quote }: Checkout): readonly Fact[] {
  const { buyer, delivery } = content;
  const address = quote.ships ? (chosenAddress(delivery) ?? null) : null;
  const name = joined(buyer.first_name, buyer.last_name);
  const country = address?.address_country;
  const lines = [
    joined(address?.first_name ?? buyer.first_name, address?.last_name ?? buyer.last_name),
    joined(address?.street_address),
    joined(address?.extended_address),
    joined(address?.postal_code, address?.address_locality, address?.address_region),
    joined((typeof country === "string" && countryName(country, "en")) || country),
  ];
  const shown = (wanted: readonly string[]) => wanted.filter((line) => line !== "");
  return [
    ["Buyer", ...shown([name])],
    ["To", ...(address === null ? [] : shown(lines))],
  ];
}

/** How the total comes about, if there is more than the items. */
function totalFacts({ quote: { totals, currency } }: Checkout): readonly Fact[] {
  const { subtotalMinor, shippingMinor, discountMinor = 0, fees = [], taxMinor } = totals;
  const fee = fees.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const part = (name: string, minor: number | null, isShown = minor !== 0): Fact =>
    minor === null || currency === null || !isShown
      ? [name]
      : [name, moneyWords({ minor, currency })];
  const added = [
    part("Delivery", shippingMinor, true),
    part("Fees", fee),
    part("Tax", taxMinor),
    part("Discount", -discountMinor, discountMinor !== 0),
  ];
  const isSame = added.every(([, ...lines]) => lines.length === 0);
  return isSame ? [] : [part("Items", subtotalMinor, true), ...added];
}

function callerWords({ review, agent, platformName }: ReviewNotice): string {
  const { actorId } = review;
  // The name of a platform is the address of its profile, which says nothing to a person but its host.
  if (URL.canParse(agent.name) && actorId.endsWith(agent.name)) {
    const { host } = new URL(agent.name);
    if (actorId !== agent.name) return `a platform that says it is ${quoted(host)}`;
    return platformName ? `the platform ${quoted(platformName)}` : `the platform ${host}`;
  }
  const called = agent.source === "self" ? "that calls itself" : "that you call";
  return `an agent ${called} ${quoted(agent.name)}`;
}

/**
 * Its subject contains nothing that an agent wrote. The link gives no access: deciding needs a sign-in. Only the mail
 * names the buyer, because a chat is somebody else's service.
 */
export function reviewMail(
  notice: ReviewNotice,
  { baseUrl }: Pick<Config, "baseUrl">,
): NoticeWords {
  const { site, review, ruleTitle, timeZone, checkout } = notice;
  const { escalationId, request, expiresAt, approvalsNeeded } = review;
  const { skill, amount, items = [] } = request;
  const sum = amount === null ? undefined : moneyWords(amount);
  const each = (minor: number) =>
    amount === null ? "" : `, ${moneyWords({ minor, currency: amount.currency })} each`;
  const isTest = amount !== null && site.provider !== null && !site.provider.live;
  const link = reviewPage(baseUrl, site.domain, escalationId);
  const lines = (isMail: boolean) => [
    `A request at ${site.domain} needs review.`,
    ...(isTest ? ["This is a test: no money moves."] : []),
    "",
    ...factLines([
      [
        "What",
        skillTitle(site, skill),
        ...items.map((one) => `${one.quantity} × ${plainLine(one.title)}${each(one.unit_minor)}`),
      ],
      ...(checkout === undefined ? [] : totalFacts(checkout)),
      ["Total", ...(sum === undefined ? [] : [sum])],
      [
        "Payment",
        ...(request.hosted ? ["The buyer pays on the payment page after you approve."] : []),
      ],
      ...(checkout === undefined || !isMail ? [] : buyerFacts(checkout)),
      ["Who", callerWords(notice)],
      ["Why", ruleTitle === null ? "one of your rules" : `your rule ${quoted(ruleTitle)}`],
      ["Until", `${localTime(expiresAt, timeZone)}, then it is declined`],
    ]),
    "",
    "Approve or decline it here:",
    "",
    link,
    "",
    ...(approvalsNeeded === 1 ? [] : [`${approvalsNeeded} people must approve it.`]),
    "You need to be signed in to decide. You cannot decide by replying to this message.",
  ];
  const purchase = sum === undefined ? skillTitle(site, skill) : sum;
  const subject = `${isTest ? "Test: " : ""}${site.domain}: ${purchase} needs review`;
  const text = (isMail: boolean) => `${lines(isMail).join("\n")}\n`;
  return { subject, text: text(false), mailText: text(true), amount: sum, link };
}

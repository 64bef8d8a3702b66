import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Api, call, type Page } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import { isToSend, type ListedOrder, type Order } from "../orders/orders.js";
import type { Question } from "../questions/questions.js";
import { reviewsWaiting } from "../reviews/reviews.js";
import { processorQuery } from "../settings/processor.js";
import { shopConnectionQuery } from "../settings/shop-connection.js";
import { LoadingLines } from "../ui/loading.js";
import { Card } from "../ui/page.js";
import { countText, spanText, strangersText } from "../ui/words.js";
import { MissingLink, missingByPlace } from "./missing.js";

/** An authorization that expires sooner than this should be captured today. */
const SOON_S = 48 * 3600;
const SHOWN_MAX = 100;
const QUESTIONS_SHOWN_MAX = 3;

const many = (items: readonly unknown[], one: string, more = `${one}s`) =>
  items.length >= SHOWN_MAX ? `${SHOWN_MAX} ${more} or more` : countText(items.length, one, more);

const SHOP_SILENT = (
  <MissingLink place="shop" text="Your shop does not answer. Agents cannot buy." />
);

/** Whether the shop system has not answered the last message. */
function useShopSilence(path: string, enabled: boolean): boolean {
  const { data } = useQuery({ ...shopConnectionQuery(path), enabled });
  return data != null && data.unanswered !== null;
}

/** What needs attention, each with a link. */
function useNeeds(inSetup: boolean): ReactNode[] | undefined {
  const { site, name, path } = useSite();
  const owner = useMay("owner");
  const mayDecide = useMay("reviewer");
  const ask = <Item,>(topic: string, rest: string, enabled = true) => ({
    queryKey: [topic, site.site_key_hash, "needs", rest],
    queryFn: () => call<Page<Item>>("GET", `${path}${rest}&limit=${SHOWN_MAX}`),
    enabled,
  });
  const reviews = useQuery(reviewsWaiting(site.site_key_hash));
  const agents = useQuery(ask<Api["Agent"]>("agents", "/agents?status=pending"));
  const orders = useQuery(ask<Order>("orders", "/orders?payment=authorized"));
  const questions = useQuery(ask<Question>("questions", "/questions?state=new"));
  const open = useQuery(ask<ListedOrder>("orders", "/orders?status=open"));
  const failed = useQuery(ask<Api["Message"]>("messages", "/messages?state=failed", owner));
  const processor = useQuery(processorQuery(path));
  const isShopSilent = useShopSilence(path, owner);
  if (
    !reviews.isSuccess ||
    !agents.isSuccess ||
    !orders.isSuccess ||
    !open.isSuccess ||
    !processor.isSuccess
  )
    return;
  const needs: ReactNode[] = isShopSilent ? [SHOP_SILENT] : [];
  const params = { site: name };
  if (site.status !== "verified") {
    if (!inSetup) {
      needs.push(
        <Link to="/$site" params={params} search={{ step: "domain" }} className="link">
          Verify {site.domain}. Until then, agents cannot find your shop.
        </Link>,
      );
    }
  } else if (site.verification.problem !== null) {
    needs.push(<>The domain check has a problem: {site.verification.problem}</>);
  }
  const [first] = reviews.data.items.toSorted((a, b) => a.expires_at.localeCompare(b.expires_at));
  if (first !== undefined) {
    const left = spanText(Date.parse(first.expires_at) - Date.now());
    needs.push(
      <Link to="/$site/reviews" params={params} className="link">
        {many(reviews.data.items, "review")} {mayDecide ? "to decide" : "waiting for a reviewer"}.
        The first expires in {left}.
      </Link>,
    );
  }
  if (agents.data.items.length > 0) {
    needs.push(
      <Link to="/$site/agents" params={params} search={{ status: "pending" }} className="link">
        {many(agents.data.items, "agent")} to approve or decline
      </Link>,
    );
  }
  const openQuestions = questions.data?.items ?? [];
  if (openQuestions.length > 0) {
    needs.push(
      <>
        <Link to="/$site/questions" params={params} className="link">
          {many(openQuestions, "question")} from agents{" "}
          {mayDecide ? "to answer" : "waiting for an answer"}
        </Link>
        <ul aria-label="Questions" className="mt-1 flex flex-col gap-1">
          {openQuestions.slice(0, QUESTIONS_SHOWN_MAX).map(({ question_id: id, question }) => (
            <li key={id}>
              <Link to="/$site/questions/$id" params={{ ...params, id }} className="link">
                <bdi>“{strangersText(question)}”</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </>,
    );
  }
  const toSend = open.data.items.filter(isToSend);
  if (toSend.length > 0) {
    needs.push(
      <Link to="/$site/orders" params={params} search={{ status: "open" }} className="link">
        {many(toSend, "order")} to send
      </Link>,
    );
  }
  const soon = orders.data.items.filter(({ lapses_in_seconds: s }) => s !== null && s < SOON_S);
  if (soon.length > 0) {
    needs.push(
      <Link to="/$site/orders" params={params} search={{ payment: "authorized" }} className="link">
        {many(soon, "payment")} to capture: the authorization expires within 48 hours
      </Link>,
    );
  }
  if ((failed.data?.items.length ?? 0) > 0) {
    needs.push(
      <Link
        to="/$site/settings/$part"
        params={{ ...params, part: "notifications" }}
        search={{ state: "failed" }}
        className="link"
      >
        {many(failed.data?.items ?? [], "message")} could not be delivered
      </Link>,
    );
  }
  for (const [place, advice] of inSetup ? [] : missingByPlace(processor.data)) {
    needs.push(<MissingLink place={place} text={`Agents cannot buy yet: ${advice}`} />);
  }
  return needs;
}

/** What needs attention now. While the setup is open, it says itself what is missing for selling. */
export function NeedsYou({ inSetup }: { readonly inSetup: boolean }) {
  const needs = useNeeds(inSetup);
  if (inSetup && (needs?.length ?? 0) === 0) return null;
  return (
    <Card title="Needs your attention">
      {needs === undefined && <LoadingLines lines={3} />}
      {needs?.length === 0 && <p className="text-sm text-soft">Nothing is waiting for you.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {needs?.map((need, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: each is known by its place.
          <li key={place} className="flex gap-2">
            <span aria-hidden="true" className="text-warn">
              ●
            </span>
            <div className="min-w-0 break-words">{need}</div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call, type Page } from "../api/client.js";
import { usePeople } from "../layout/people.js";
import { useSite } from "../layout/sites.js";
import { type Order, orderName } from "../orders/orders.js";
import { deciderOf, type Review } from "../reviews/reviews.js";
import { sessionQuery } from "../session/session.js";
import { Button } from "../ui/button.js";
import { Notice } from "../ui/notice.js";
import { moneyText } from "../ui/words.js";

/** Reviews of a test agent that are looked through: it has one. */
const DENIED_MAX = 100;

/** Who declined the test purchase, in a sentence; undefined if nobody did. */
export function useDeclinedBy(agentId: string, mayBeDenied: boolean): string | undefined {
  const { site, path } = useSite();
  const names = usePeople();
  const { data: session } = useQuery(sessionQuery);
  const denied = useQuery({
    queryKey: ["reviews", site.site_key_hash, "denied", agentId],
    queryFn: () =>
      call<Page<Review>>("GET", `${path}/escalations?status=denied&limit=${DENIED_MAX}`),
    enabled: mayBeDenied,
  });
  const review = denied.data?.items.find(({ agent_id }) => agent_id === agentId);
  if (review === undefined) return undefined;
  const by = deciderOf(review);
  const who = by !== null && by === session?.token_id ? "You" : names.get(by ?? "");
  return `${who ?? "A reviewer"} declined the test purchase. The agent received the reason.`;
}

/** The order of the test agent, as soon as there is one: a change of the orders loads it again. */
function useTestOrder(agentId: string, isBought: boolean): Order | undefined {
  const { site, path } = useSite();
  const orders = useQuery({
    queryKey: ["orders", site.site_key_hash, "test", agentId],
    queryFn: () => call<Page<Order>>("GET", `${path}/orders?limit=1&agent_id=${agentId}`),
    enabled: isBought,
  });
  return orders.data?.items[0];
}

/** What came of a test purchase that is over, and what to do next. */
export function TestResult({
  agentId,
  isBought,
  onAgain,
}: {
  readonly agentId: string;
  /** Whether it may have led to an order. */
  readonly isBought: boolean;
  onAgain(): void;
}) {
  const { name } = useSite();
  const order = useTestOrder(agentId, isBought);
  const params = { site: name };
  return (
    <>
      {order !== undefined && (
        <div
          role="status"
          className="flex flex-col items-start gap-3 rounded-lg border border-act bg-act-soft p-4"
        >
          <h3 className="text-lg font-semibold">✓ Your shop sold to an agent</h3>
          <p className="text-sm">
            The agent bought a test item for {moneyText(order.amount)}, and order {orderName(order)}{" "}
            was created. No money moved, and there is nothing to send.
          </p>
          <Link
            to="/$site/orders/$id"
            params={{ ...params, id: order.order_id }}
            className="button-act"
          >
            Show order {orderName(order)}
          </Link>
        </div>
      )}
      <Notice>
        The test is over. Within a minute, its order is cancelled, the test agent is revoked and its
        item is removed.{" "}
        <Link to="/$site/decisions" params={params} search={{ agent_id: agentId }} className="link">
          Show the decision
        </Link>
      </Notice>
      <Button className="self-start" onClick={onAgain}>
        Buy again
      </Button>
      <Notice>
        To let real agents buy like this, turn on “Place an order” and signed requests.{" "}
        <Link to="/$site/settings/$part" params={{ ...params, part: "skills" }} className="link">
          Open the settings
        </Link>
      </Notice>
    </>
  );
}

import { Badge } from "../ui/badge.js";
import { spanText } from "../ui/words.js";
import { type Order, orderState, paymentState } from "./orders.js";

/** With less time left than this, the payment should be captured soon. */
const SOON_S = 24 * 3600;

/** How soon an authorization expires. */
function Expiry({ order }: { readonly order: Order }) {
  const { lapses_in_seconds: left } = order;
  if (order.payment !== "authorized" || left === null) return null;
  const look = left < SOON_S ? "font-medium text-warn" : "text-soft";
  return <span className={`text-xs ${look}`}>expires in {spanText(left * 1000)}</span>;
}

/** The state of an order, and whether it is a test. */
export function OrderBadges({ order }: { readonly order: Order & { readonly is_test: boolean } }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge word={orderState(order)} />
      {order.is_test && <Badge word="test" />}
    </span>
  );
}

/** The state of the payment, and how long it can still be captured. */
export function PaymentBadge({ order }: { readonly order: Order }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge word={paymentState(order)} /> <Expiry order={order} />
    </span>
  );
}

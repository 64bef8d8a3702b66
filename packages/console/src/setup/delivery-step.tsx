import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Shop } from "../delivery/draft.js";
import { shopQuery, useShopSave } from "../delivery/shop.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import type { SetupState } from "./done-steps.js";
import { STEP_WORDS } from "./steps.js";

/** For shops that sell services or digital goods. */
function NoDelivery({ shop }: { readonly shop: Shop }) {
  const save = useShopSave(shop, async () => ({ delivers: false }));
  return (
    <>
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        I deliver nothing
      </Button>
      {save.isError && <Failure error={save.error} />}
    </>
  );
}

/** Delivery has its own page, and some shops need none. */
export function DeliveryStep({ state }: { readonly state: SetupState }) {
  const { path, name } = useSite();
  const shop = useQuery(shopQuery(path));
  const [title, purpose] = STEP_WORDS.delivery;
  const { is, note } = state.steps.delivery;
  return (
    <Card title={title}>
      {is === "unneeded" ? (
        <Notice>{note}</Notice>
      ) : (
        <p className="text-sm text-soft">
          {purpose} If you sell only services or digital goods, you need no delivery.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Link
          to="/$site/delivery"
          params={{ site: name }}
          state={{ fromSetup: true }}
          className={is === "todo" ? "button-act" : "button-plain"}
        >
          Open Delivery and taxes
        </Link>
        {is === "todo" && shop.data !== undefined && <NoDelivery shop={shop.data} />}
      </div>
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import type { Shop } from "../delivery/draft.js";
import { shopQuery, useShopSave } from "../delivery/shop.js";
import { useMay, useSite } from "../layout/sites.js";
import { CurrencyField, currencyText } from "../ui/currency-field.js";
import { useDraft } from "../ui/draft.js";
import { Form } from "../ui/form.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { TimeZoneField, zoneText } from "../ui/time-zone-field.js";

/** The settings in a sentence each. */
function summaryOf({ currency, time_zone }: Shop): string {
  const prices =
    currency == null
      ? "The console suggests the currency of your products for new prices."
      : `The console suggests ${currencyText(currency)} for new prices and limits.`;
  const times =
    time_zone == null
      ? "Times, days and new rules use the time zone of your browser."
      : `Times, days and new rules use the time in ${zoneText(time_zone)}.`;
  return `${prices} ${times}`;
}

function RegionForm({ shop }: { readonly shop: Shop }) {
  const mayChange = useMay("owner");
  const draft = useDraft(
    { currency: shop.currency ?? "", zone: shop.time_zone ?? "" },
    { keep: "region" },
  );
  const { currency, zone } = draft.value;
  const save = useShopSave(shop, async () => ({
    currency: currency === "" ? null : currency,
    time_zone: zone === "" ? null : zone,
  }));
  return (
    <>
      <p className="text-sm text-soft">{summaryOf(shop)}</p>
      <Form
        of={save}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <fieldset disabled={!mayChange} className="flex flex-col gap-3">
          <legend className="sr-only">Currency and time zone</legend>
          <CurrencyField
            name="currency"
            none="As in your products"
            hint="Prices that you have already entered stay as they are."
            value={currency}
            onChoose={(code) => draft.set({ currency: code })}
          />
          <TimeZoneField
            label="Time zone"
            hint="The rules that you have already published keep theirs."
            value={zone}
            onChoose={(one) => draft.set({ zone: one })}
          />
          <SaveRow draft={draft} busy={save.isPending} />
        </fieldset>
      </Form>
    </>
  );
}

/** The currency and the time zone that the console suggests. */
export function RegionCard() {
  const { path } = useSite();
  const shop = useQuery(shopQuery(path));
  if (shop.isError) return <Failure error={shop.error} />;
  if (!shop.isSuccess) return <Loading />;
  return (
    <Card title="Currency and time zone">
      <RegionForm shop={shop.data} />
    </Card>
  );
}

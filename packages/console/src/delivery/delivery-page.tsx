import { parseAmount } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { OwnersFields, OwnersNotice } from "../layout/owners-only.js";
import { useMay, useSite } from "../layout/sites.js";
import { usualCurrencyQuery } from "../products/usual-currency.js";
import { shopConnectionQuery } from "../settings/shop-connection.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";
import { Unfit } from "../ui/problems.js";
import { SaveRow } from "../ui/save-row.js";
import { moneyText } from "../ui/words.js";
import { CheckoutCard } from "./checkout-card.js";
import { countryName } from "./countries.js";
import { type Shop, shippingOf, zoneDrafts, zoneText } from "./draft.js";
import { shopQuery, useShopSave } from "./shop.js";
import { ShopJson } from "./shop-json.js";
import { TaxesForm, taxDrafts, taxesOf } from "./taxes-form.js";
import { TermsCard } from "./terms-card.js";
import { ZonesForm } from "./zones-form.js";

const DELIVERY_WORDING = {
  shipping: "A country can be in one zone only.",
  "shipping.*.countries": "Add at least one country.",
  "shipping.*.options.*.title": "Enter a name, such as Standard.",
  "shipping.*.options.*.prices": "Enter a price such as 4.90.",
  "shipping.*.options.*.days": "Enter days from 0 to 365, the shorter time first.",
};

function Delivery({ shop, currency }: { readonly shop: Shop; readonly currency: string }) {
  const draft = useDraft(
    { zones: zoneDrafts(shop.shipping ?? [], currency), delivers: shop.delivers !== false },
    { keep: "zones" },
  );
  const { zones, delivers } = draft.value;
  const save = useShopSave(shop, async () => {
    const empty = zones.findIndex(({ countries }) => countries.length === 0);
    if (empty !== -1) {
      throw new Unfit(`shipping.${empty}.countries`, DELIVERY_WORDING["shipping.*.countries"]);
    }
    return { shipping: shippingOf(zones), delivers: delivers || zones.length > 0 };
  });
  return (
    <Card title="Delivery">
      <div className="text-sm text-soft">
        {(shop.shipping ?? []).length === 0
          ? "You have no delivery zones yet. Buyers enter no delivery address and pay nothing for delivery."
          : shop.shipping?.map((zone) => <p key={zone.countries.join()}>{zoneText(zone)}</p>)}
      </div>
      <Form
        of={save}
        wording={DELIVERY_WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <OwnersFields className="flex min-w-0 flex-col gap-4">
          <legend className="sr-only">Delivery zones</legend>
          <ZonesForm
            zones={zones}
            currency={currency}
            onChange={(next) => draft.set({ zones: next })}
          />
          {zones.length === 0 && (
            <Checkbox
              label="I deliver nothing"
              hint="For services and digital goods. The setup on Home then asks for no delivery."
              checked={!delivers}
              onChange={({ target }) => draft.set({ delivers: !target.checked })}
            />
          )}
          <SaveRow draft={draft} busy={save.isPending} label="Save delivery" />
        </OwnersFields>
      </Form>
    </Card>
  );
}

const TAXES_WORDING = {
  taxes: "A country and region can have one tax only.",
  "taxes.*.country": "Choose a country.",
  "taxes.*.percent": "Enter a number from 0 to 99.9999, such as 7.25.",
};

/** What the first tax does to a price of 100. */
function taxExample([tax]: NonNullable<Shop["taxes"]>, currency: string): string {
  const price = parseAmount("100", currency);
  if (tax === undefined || !price.ok) return "";
  const { minor } = price.value;
  const added = Math.round((minor * Number(tax.percent)) / 100);
  const [net, part, sum] = [minor, added, minor + added].map((one) =>
    moneyText({ minor: one, currency }),
  );
  return ` For example, a product at ${net} costs ${sum}: ${part} of it is tax.`;
}

function Taxes({ shop, currency }: { readonly shop: Shop; readonly currency: string }) {
  const draft = useDraft({ taxes: taxDrafts(shop.taxes ?? []) }, { keep: "taxes" });
  const { taxes } = draft.value;
  const save = useShopSave(shop, async () => ({ taxes: taxesOf(taxes) }));
  const summary = (shop.taxes ?? []).map(
    ({ country, region, percent }) =>
      `${percent} % in ${region === undefined ? "" : `${region}, `}${countryName(country)}`,
  );
  return (
    <Card title="Taxes">
      <p className="text-sm text-soft">
        {summary.length === 0
          ? "No tax is added to your prices. Leave this empty if your prices include tax."
          : `Added to your prices: ${summary.join("; ")}.${taxExample(shop.taxes ?? [], currency)}`}
      </p>
      <Form
        of={save}
        wording={TAXES_WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <OwnersFields className="flex min-w-0 flex-col gap-4">
          <legend className="sr-only">Taxes by country</legend>
          <TaxesForm taxes={taxes} onChange={(next) => draft.set({ taxes: next })} />
          <SaveRow draft={draft} busy={save.isPending} label="Save taxes" />
        </OwnersFields>
      </Form>
    </Card>
  );
}

/** A connected shop system answers what delivery and taxes cost, so the settings here are not used. */
function ShopDecides() {
  const { path } = useSite();
  const mayAsk = useMay("owner");
  const connection = useQuery({ ...shopConnectionQuery(path), enabled: mayAsk });
  if (!connection.data?.sells) return null;
  return (
    <Notice>
      {connection.data.system} decides where you deliver, and what delivery and taxes cost. The
      settings for delivery and taxes below are not used while it is connected.
    </Notice>
  );
}

/** Delivery, taxes and terms of a shop, which apply at checkout. */
export function DeliveryPage() {
  const { path } = useSite();
  const shop = useQuery(shopQuery(path));
  const currency = useQuery(usualCurrencyQuery(path));
  if (shop.isError) return <Failure error={shop.error} />;
  if (!shop.isSuccess || !currency.isSuccess) return <Loading />;
  const settings = shop.data;
  return (
    <Page
      title="Delivery and taxes"
      purpose="Delivery costs and taxes that are added at checkout, and the terms that buyers agree to."
    >
      <div className="flex flex-col gap-4">
        <OwnersNotice />
        <ShopDecides />
        <Delivery shop={settings} currency={currency.data} />
        <Taxes shop={settings} currency={currency.data} />
        <TermsCard shop={settings} />
        <CheckoutCard shop={settings} />
        <details className="text-sm">
          <summary className="text-soft">Advanced</summary>
          <ShopJson saved={settings} />
        </details>
      </div>
    </Page>
  );
}

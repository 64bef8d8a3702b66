import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { usualCurrencyQuery } from "../products/usual-currency.js";
import { Button } from "../ui/button.js";
import { Checkbox, TextArea, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Outcome } from "../ui/outcome.js";
import { Card, Page } from "../ui/page.js";
import { countryName } from "./countries.js";
import { type Shop, shippingOf, zoneDrafts, zoneText } from "./draft.js";
import { ShopJson } from "./shop-json.js";
import { TaxesForm, taxDrafts, taxesOf } from "./taxes-form.js";
import { ZonesForm } from "./zones-form.js";

const LINKS = {
  terms_of_service: "Terms of service",
  privacy_policy: "Privacy policy",
  refund_policy: "Returns and refunds",
  shipping_policy: "Delivery information",
  faq: "Questions and answers",
} as const;

/** Saves some of the settings and keeps the others. */
function useShopSave(shop: Shop) {
  const { path } = useSite();
  return useSave(
    (change: Partial<Shop>) => call("PUT", `${path}/shop`, { ...shop, ...change }),
    "shop",
    "processor",
  );
}

function SaveButton({ busy }: { readonly busy: boolean }) {
  const mayChange = useMay("owner");
  if (!mayChange) return null;
  return (
    <Button type="submit" kind="act" className="self-start" disabled={busy}>
      Save
    </Button>
  );
}

function Delivery({ shop, currency }: { readonly shop: Shop; readonly currency: string }) {
  const [zones, setZones] = useState(() => zoneDrafts(shop.shipping ?? [], currency));
  const save = useShopSave(shop);
  const incomplete = zones.some(({ countries }) => countries.length === 0);
  return (
    <Card title="Delivery">
      <div className="text-sm text-soft">
        {(shop.shipping ?? []).length === 0
          ? "You have no delivery zones yet. Buyers enter no delivery address and pay nothing for delivery."
          : shop.shipping?.map((zone) => <p key={zone.countries.join()}>{zoneText(zone)}</p>)}
      </div>
      <Form
        onSubmit={() => save.mutate({ shipping: shippingOf(zones) })}
        className="flex flex-col gap-4"
      >
        <ZonesForm {...{ zones, currency }} onChange={setZones} />
        {incomplete && <Notice>Add at least one country to every zone.</Notice>}
        <SaveButton busy={save.isPending || incomplete} />
        <Outcome of={save} />
      </Form>
    </Card>
  );
}

function Taxes({ shop }: { readonly shop: Shop }) {
  const [taxes, setTaxes] = useState(() => taxDrafts(shop.taxes ?? []));
  const save = useShopSave(shop);
  const summary = (shop.taxes ?? []).map(
    ({ country, region, percent }) =>
      `${percent} % in ${region === undefined ? "" : `${region}, `}${countryName(country)}`,
  );
  return (
    <Card title="Taxes">
      <p className="text-sm text-soft">
        {summary.length === 0
          ? "No tax is added to your prices."
          : `Added to your prices: ${summary.join("; ")}.`}
      </p>
      <Form onSubmit={() => save.mutate({ taxes: taxesOf(taxes) })} className="flex flex-col gap-4">
        <TaxesForm taxes={taxes} onChange={setTaxes} />
        <SaveButton busy={save.isPending} />
        <Outcome of={save} />
      </Form>
    </Card>
  );
}

function Terms({ shop }: { readonly shop: Shop }) {
  const [text, setText] = useState(shop.terms?.text ?? "");
  const [links, setLinks] = useState(shop.links ?? {});
  const [mail, setMail] = useState(shop.buyer_mail ?? true);
  const save = useShopSave(shop);
  const submit = () => {
    // A new text is a new version, named after the day.
    const version =
      text === shop.terms?.text ? shop.terms.version : new Date().toISOString().slice(0, 10);
    const given = Object.entries(links).filter(([, url]) => url !== undefined && url !== "");
    save.mutate({
      terms: text.trim() === "" ? null : { text, version },
      links: Object.fromEntries(given),
      buyer_mail: mail,
    });
  };
  return (
    <Card title="Terms and information">
      <p className="text-sm text-soft">
        {shop.terms === null
          ? "Buyers agree to the default terms, which name your shop as the seller."
          : `Buyers agree to your terms, version ${shop.terms?.version}.`}
      </p>
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <TextArea
          label="Your terms"
          hint="Leave it empty to use the default terms."
          rows={5}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {Object.entries(LINKS).map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            type="url"
            placeholder="https://"
            value={links[name as keyof typeof LINKS] ?? ""}
            onChange={({ target }) => setLinks({ ...links, [name]: target.value })}
          />
        ))}
        <Checkbox
          label="Email buyers about their orders"
          checked={mail}
          onChange={({ target }) => setMail(target.checked)}
        />
        <SaveButton busy={save.isPending} />
        <Outcome of={save} />
      </Form>
    </Card>
  );
}

/** Delivery, taxes and terms of a shop, which apply at checkout. */
export function DeliveryPage() {
  const { path } = useSite();
  const shop = useQuery({
    queryKey: ["shop", path],
    queryFn: () => call<Shop>("GET", `${path}/shop`),
  });
  const currency = useQuery(usualCurrencyQuery(path));
  if (shop.isError) return <Failure error={shop.error} />;
  if (!shop.isSuccess || !currency.isSuccess) return <Loading />;
  const found = shop.data;
  return (
    <Page
      title="Delivery and taxes"
      about="Delivery costs and taxes that are added at checkout, and the terms that buyers agree to."
    >
      <div className="flex flex-col gap-4" key={JSON.stringify(found)}>
        <Delivery shop={found} currency={currency.data} />
        <Taxes shop={found} />
        <Terms shop={found} />
        <details className="text-sm">
          <summary className="text-soft">Advanced</summary>
          <ShopJson found={found} />
        </details>
      </div>
    </Page>
  );
}

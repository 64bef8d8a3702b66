import { OwnersFields } from "../layout/owners-only.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import type { Shop } from "./draft.js";
import { useShopSave } from "./shop.js";

const LINK_CHARS_MAX = 500;
const WORDING = {
  cart_link: "Enter an https:// address with {items}, or with {id} and {quantity}.",
};

/** Who can order what, and where people pay. */
function summaryOf({ allow_unsigned, orders_without_address, cart_link }: Shop): string {
  const platforms = allow_unsigned
    ? "Any platform can order."
    : "Only platforms that prove who they are can order.";
  const address = orders_without_address
    ? " Agents can order goods without an address."
    : " Goods that you send need an address.";
  const page = cart_link == null ? "" : " People finish their cart in your own shop.";
  return platforms + address + page;
}

/** How agents and platforms order. */
export function CheckoutCard({ shop }: { readonly shop: Shop }) {
  const draft = useDraft(
    {
      link: shop.cart_link ?? "",
      unsigned: shop.allow_unsigned ?? false,
      noAddress: shop.orders_without_address ?? false,
    },
    { keep: "checkout" },
  );
  const { link, unsigned, noAddress } = draft.value;
  const save = useShopSave(shop, async () => ({
    cart_link: link.trim() === "" ? null : link.trim(),
    allow_unsigned: unsigned,
    orders_without_address: noAddress,
  }));
  return (
    <Card title="Ordering">
      <p className="text-sm text-soft">{summaryOf(shop)}</p>
      <Form
        of={save}
        wording={WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <OwnersFields className="flex max-w-2xl flex-col gap-4">
          <legend className="sr-only">Ordering</legend>
          <TextField
            label="Link to your own cart"
            name="cart_link"
            placeholder="https://shop.example.com/cart/{items}"
            hint="People then finish the cart there. {items} is replaced by the products and quantities. If your link takes one product, use {id} and {quantity}. Leave it empty to use the page of Gatehouse."
            maxLength={LINK_CHARS_MAX}
            value={link}
            onChange={({ target }) => draft.set({ link: target.value })}
          />
          <Checkbox
            label="Let platforms order that do not prove who they are"
            name="allow_unsigned"
            hint="Anybody can then order in the name of any platform. Your rules still apply."
            checked={unsigned}
            onChange={({ target }) => draft.set({ unsigned: target.checked })}
          />
          <Checkbox
            label="Let agents order goods without an address"
            name="orders_without_address"
            hint="For goods of a connected shop system. You then have to ask the buyer where to send them."
            checked={noAddress}
            onChange={({ target }) => draft.set({ noAddress: target.checked })}
          />
          <SaveRow draft={draft} busy={save.isPending} label="Save ordering" />
        </OwnersFields>
      </Form>
    </Card>
  );
}

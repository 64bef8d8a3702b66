import { moneyText } from "./money-text.js";

/** Who bought it through a platform, and where it goes. */
export interface Purchase {
  readonly buyer: Readonly<Record<string, string>>;
  readonly address: Readonly<Record<string, string>> | null;
  readonly delivery: { readonly title: string } | null;
  readonly shipping_minor: number | null;
  readonly fee_minor: number;
  readonly tax_minor: number;
}

const ADDRESS_LINES = [
  ["first_name", "last_name"],
  ["street_address"],
  ["extended_address"],
  ["postal_code", "address_locality"],
  ["address_region", "address_country"],
  ["phone_number"],
];

/** As it stands on a parcel. */
function addressText(address: Readonly<Record<string, string>>): string {
  return ADDRESS_LINES.map((names) => names.flatMap((name) => address[name] ?? []).join(" "))
    .filter((line) => line !== "")
    .join("\n");
}

/** What it says of whoever bought it; nothing where no platform did. */
export function purchaseLines(
  purchase: Purchase | null | undefined,
  currency: string,
): Record<string, string> {
  if (purchase === undefined || purchase === null) return {};
  const { buyer, address, delivery, shipping_minor, fee_minor, tax_minor } = purchase;
  const { first_name, last_name, email, phone_number } = buyer;
  const money = (minor: number) => moneyText({ minor, currency });
  return {
    buyer: [first_name, last_name, email && `<${email}>`, phone_number].filter(Boolean).join(" "),
    ...(address === null ? {} : { send_to: addressText(address) }),
    ...(delivery === null ? {} : { delivery: `${delivery.title}, ${money(shipping_minor ?? 0)}` }),
    ...(fee_minor === 0 ? {} : { fees: money(fee_minor) }),
    ...(tax_minor === 0 ? {} : { tax: money(tax_minor) }),
  };
}

import { strangersText } from "../ui/words.js";

type Texts = Readonly<Record<string, string>>;

const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== "").join(" ");

function countryName(code: string | undefined): string {
  if (code === undefined || !/^[A-Za-z]{2}$/.test(code)) return code ?? "";
  return new Intl.DisplayNames(undefined, { type: "region" }).of(code.toUpperCase()) ?? code;
}

/** The lines of an address, as they are written on a parcel. Empty if nothing is shipped. */
export function addressLines({
  address,
  buyer,
}: {
  readonly address: Texts | null;
  readonly buyer: Texts;
}): readonly string[] {
  if (address === null) return [];
  const of = (name: string) => address[name] ?? buyer[name];
  const lines = [
    joined(of("first_name"), of("last_name")),
    address.street_address ?? "",
    address.extended_address ?? "",
    joined(address.postal_code, address.address_locality, address.address_region),
    countryName(address.address_country),
  ];
  return lines.filter((line) => line !== "").map(strangersText);
}

import type { JsonObject, JsonValue } from "@gatehouse/protocol";
import { isBuyerAddress } from "../domain/buyers/address.js";

/** The parts of an address that prices depend on. */
export interface Destination {
  /** Two letters. */
  readonly country: string;
  readonly region?: string | undefined;
}

/** What an address needs in addition to a name and a country. */
const ADDRESS = ["street_address", "address_locality"];
const NAMES = ["first_name", "last_name"];
/** Two letters. */
export const COUNTRY = /^[A-Za-z]{2}$/;

export const isText = (value: JsonValue | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/** Where a buyer is, if the request names it. */
export function destinationIn(place: JsonObject): Destination | undefined {
  const { address_country: country, address_region: region } = place;
  if (!isText(country)) return undefined;
  return { country: country.toUpperCase(), region: isText(region) ? region : undefined };
}

/** Whether an address is complete enough to send something to it. */
export function isComplete(address: JsonObject | undefined, buyer: JsonObject): boolean {
  if (address === undefined || !ADDRESS.every((name) => isText(address[name]))) return false;
  const named = NAMES.some((name) => isText(address[name]) || isText(buyer[name]));
  return named && COUNTRY.test(String(address.address_country ?? ""));
}

/** Whether a buyer can be written to. */
export function hasEmail({ email }: JsonObject): boolean {
  return isText(email) && isBuyerAddress(email);
}

import type { JsonObject } from "@gatehouse/protocol";
import type { BuyingPlatform } from "../../owners/checkouts/platform.js";
import type { Caller } from "./caller.js";
import { textsIn } from "./fields.js";

export const TEXT_CHARS_MAX = 200;
const BUYER = ["first_name", "last_name", "email", "phone_number"];
const CONTEXT = ["address_country", "address_region", "postal_code", "language", "currency"];

export const platformOf = ({ profileUrl: url, keyId, webhookUrl }: Caller): BuyingPlatform => ({
  ...{ url, signed: keyId !== null, webhookUrl },
});

/** What a request says of the buyer, and of where. */
export function peopleIn({ buyer, context }: JsonObject) {
  return {
    buyer: textsIn(buyer, "buyer", BUYER, TEXT_CHARS_MAX),
    context: textsIn(context, "context", CONTEXT, TEXT_CHARS_MAX),
  };
}

/** A member of an answer, where there is something in it. */
export const given = (name: string, value: JsonObject) =>
  Object.keys(value).length === 0 ? {} : { [name]: value };

import type { JsonObject } from "@gatehouse/protocol";
import type { BuyingPlatform } from "../../domain/checkouts/platform.js";
import { type Caller, holderOf } from "./caller.js";
import { textsIn } from "./fields.js";

export const TEXT_CHARS_MAX = 200;
const BUYER = ["first_name", "last_name", "email", "phone_number"];
const CONTEXT = ["address_country", "address_region", "postal_code", "language", "currency"];

export function platformOf(caller: Caller): BuyingPlatform {
  const { profileUrl: url, keyId, webhookUrl } = caller;
  return { url, signed: keyId !== null, webhookUrl, holder: holderOf(caller) };
}

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

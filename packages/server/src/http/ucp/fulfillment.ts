import type { JsonObject, JsonValue } from "@gatehouse/protocol";
import type { RequestedDelivery } from "../../actions/checkout/sessions.js";
import {
  type Address,
  type Checkout,
  chosenAddress,
  type QuotedOption,
} from "../../domain/checkouts/checkout.js";
import { invalid } from "./errors.js";
import { objectIn, TEXT_CHARS_MAX, textIn, textsIn } from "./fields.js";

/** The members of a postal address that are kept. */
export const ADDRESS_FIELDS = [
  "street_address",
  "extended_address",
  "address_locality",
  "address_region",
  "address_country",
  "postal_code",
  "first_name",
  "last_name",
  "phone_number",
];
const ADDRESSES_MAX = 10;
/** Everything goes in one parcel, so there is one method and one group. */
const METHOD_ID = "shipping";
const GROUP_ID = "parcel";

/** The only entry of a list: a shop sends one parcel to one address. */
function onlyIn(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined) return {};
  if (!Array.isArray(value) || value.length > 1) {
    throw invalid(
      `\`${name}\` must be a list with one entry: this shop ships everything in one parcel.`,
    );
  }
  return objectIn(value[0], `${name}[0]`);
}

function readAddress(value: JsonValue, i: number): Address {
  const name = `fulfillment.methods[0].destinations[${i}]`;
  const { id } = objectIn(value, name);
  const address = textsIn(value, name, ADDRESS_FIELDS, TEXT_CHARS_MAX);
  return { ...address, id: textIn(id, `${name}.id`, TEXT_CHARS_MAX) || `dest_${i + 1}` };
}

/** `fulfillment` of a request. Without addresses in it, those of an earlier request stay. */
export function readDelivery(value: JsonValue | undefined): RequestedDelivery {
  const method = onlyIn(objectIn(value, "fulfillment").methods, "fulfillment.methods");
  const { type = METHOD_ID, destinations, selected_destination_id, groups } = method;
  if (type !== METHOD_ID) throw invalid("`fulfillment.methods[0].type` must be `shipping`.");
  if (destinations !== undefined && !Array.isArray(destinations)) {
    throw invalid("`fulfillment.methods[0].destinations` must be a list.");
  }
  const list = destinations as readonly JsonValue[] | undefined;
  if (list !== undefined && list.length > ADDRESSES_MAX) {
    throw invalid(
      `\`fulfillment.methods[0].destinations\` can have at most ${ADDRESSES_MAX} entries.`,
    );
  }
  const addresses = list?.map(readAddress);
  if (addresses !== undefined && new Set(addresses.map(({ id }) => id)).size < addresses.length) {
    throw invalid("`fulfillment.methods[0].destinations` has the same id twice.");
  }
  const { selected_option_id } = onlyIn(groups, "fulfillment.methods[0].groups");
  const selected = (id: JsonValue | undefined, name: string) =>
    id === null ? null : textIn(id, name, TEXT_CHARS_MAX);
  return {
    addresses: value === undefined ? [] : (addresses ?? null),
    addressId: selected(selected_destination_id, "selected_destination_id"),
    optionId: selected(selected_option_id, "selected_option_id"),
  };
}

function days([from, to]: readonly [number, number]): string {
  if (from !== to) return `${from} to ${to} days`;
  return from === 1 ? "1 day" : `${from} days`;
}

function optionBody({ id, title, amountMinor, days: duration }: QuotedOption): JsonObject {
  const description = duration === null ? {} : { description: { plain: days(duration) } };
  return { id, title, ...description, totals: [{ type: "total", amount: amountMinor }] };
}

const destinationBody = (address: Address) => ({ ...address, type: "shipping_address" });

/** `fulfillment` of an answer: the addresses, the options, and what was selected. */
export function fulfillmentBody(
  { content: { delivery }, quote: { options } }: Checkout,
  line_item_ids: readonly string[],
): JsonObject {
  const isOffered = options.some(({ id }) => id === delivery.optionId);
  const ids = [...line_item_ids];
  return {
    methods: [
      {
        id: METHOD_ID,
        type: "shipping",
        line_item_ids: ids,
        destinations: delivery.addresses.map(destinationBody),
        selected_destination_id: chosenAddress(delivery)?.id ?? null,
        groups: [
          {
            id: GROUP_ID,
            line_item_ids: ids,
            options: options.map(optionBody),
            selected_option_id: isOffered ? delivery.optionId : null,
          },
        ],
      },
    ],
  };
}

import { type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import { buyerMacOf, isBuyerAddress, nameMacOf } from "../../domain/buyers/address.js";
import { nameWords } from "../../domain/buyers/name-words.js";
import type { OrderFilter } from "../../domain/orders/store.js";
import { readNewBuyers } from "../buyers/read-buyers.js";
import type { Page, PageRequest } from "../page.js";
import { type ListedOrder, listOrders } from "./read-orders.js";

/** What a buyer is found by: the address, or every word of a text. */
function macsOf({ secrets }: Context, siteKeyHash: string, buyer: string): readonly string[] {
  if (isBuyerAddress(buyer)) return [buyerMacOf(secrets, siteKeyHash, buyer)];
  return nameWords(buyer).map((word) => nameMacOf(secrets, siteKeyHash, word));
}

/** A page of the orders of a buyer, who is named by mail address or by whole words of the name. */
export async function searchOrders(
  context: Context,
  siteKeyHash: string,
  { buyer, ...filter }: OrderFilter & { readonly buyer: string },
  request: PageRequest,
  reader: Principal,
): Promise<Result<Page<ListedOrder>, "invalid_request">> {
  const buyerMacs = macsOf(context, siteKeyHash, buyer);
  if (buyerMacs.length === 0) {
    return refuse("invalid_request", "buyer: Enter a name or an email address.");
  }
  await readNewBuyers(context);
  return listOrders(context, siteKeyHash, { ...filter, buyerMacs }, request, reader);
}

import type { Result } from "@gatehouse/protocol";
import type { ShopConnection } from "../domain/shop-connections/shop-connection.js";
import type { ShopQuestion, ShopQuote } from "../domain/shop-quotes/shop-quote.js";
import type { ShopOrder } from "./shop/messages.js";

/** Goods that a shop system is to hold while they are paid for. */
export interface Reservation extends ShopQuestion {
  /** The same for every try. */
  readonly reservationId: string;
  readonly totalMinor: number;
}

/** Why a shop system did not reserve goods. `unanswered`: it did not answer, and may have reserved them. */
export type ReserveFault = "out_of_stock" | "price_changed" | "closed" | "unanswered";

/** That a shop system does not answer. Only this process knows it, since it started. */
export interface Silence {
  readonly since: number;
  /** What was wrong last. */
  readonly problem: string;
}

/**
 * What Gatehouse asks of a shop system. The contract is docs/guide/connector.md. Every answer is checked against it:
 * a shop system that is wrong or hostile can refuse its own sales, and nothing else.
 */
export interface ShopConnector {
  /** Has an endpoint prove that its shop is connecting now: it answers what the challenge is the SHA-256 of. */
  prove(endpoint: string, challenge: string): Promise<Result<true, "unproven">>;
  /** What a cart would cost. */
  quote(connection: ShopConnection, question: ShopQuestion): Promise<ShopQuote>;
  /** Holds the goods of a purchase. */
  reserve(
    connection: ShopConnection,
    reservation: Reservation,
  ): Promise<Result<true, ReserveFault>>;
  /** Frees the goods of a purchase that was not paid. */
  release(
    connection: ShopConnection,
    message: { readonly messageId: string; readonly reservationId: string },
  ): Promise<Result<true, "unanswered">>;
  /** Sends an order as it is now. Returns its id in the shop system. */
  sendOrder(
    connection: ShopConnection,
    message: { readonly messageId: string; readonly order: ShopOrder },
  ): Promise<Result<string, "unanswered">>;
  /** Undefined unless the last message was not answered. */
  silenceOf(connectionId: string): Silence | undefined;
}

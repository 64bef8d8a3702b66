import type { Transaction } from "../../infra/db/database.js";

/** The event of the shop system that a change of an order comes from. */
export interface ShopOrigin {
  readonly eventId: string;
  /** Writes the event in the transaction of the change, so that a repeated event finds that it was carried out. */
  write(tx: Transaction): Promise<void>;
}

import type { Json } from "../../../server/test/connectors/shop-in-memory.ts";
import type { ShopStandIn } from "../../../server/test/connectors/shop-stand-in.ts";

/** Makes a shop system wrong in one way. */
export type Plant = (shop: ShopStandIn) => void;

/** Each fault with the one check that must fail. */
export type Faults = Readonly<Record<string, readonly [check: string, plant: Plant]>>;

/** Changes what it answers to one type of message. */
export const answers =
  (type: string, wrong: (answer: Json) => Json): Plant =>
  (shop) => {
    shop.spoil = { [type]: wrong };
  };

/** Does a message in another way. `right` is how it should. */
export const does =
  (
    type: "quote" | "reserve" | "release" | "order",
    wrong: (shop: ShopStandIn, message: Json, right: (message: Json) => Json) => Json,
  ): Plant =>
  (shop) => {
    const right = shop[type].bind(shop);
    shop[type] = (message: Json) => wrong(shop, message, right);
  };

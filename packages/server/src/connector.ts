/** The contract with shop systems, for programs that check one. Nothing here loads the rest of the service. */
export { readChanges } from "./actions/shop-connections/read-products.js";
export { type QuoteFault, readAnswer, readQuote } from "./connectors/shop/answers.js";
export { ANSWER_BYTES_MAX, SHOP_MESSAGES } from "./connectors/shop/contract.js";
export type { ShopOrder } from "./connectors/shop/messages.js";
export type { AnsweredQuote } from "./domain/shop-quotes/shop-quote.js";
export { OrderChangeMessage, ProductsMessage, StatusMessage } from "./http/connections/messages.js";

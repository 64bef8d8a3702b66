import { SHOP_MESSAGES } from "@gatehouse/server/connector";
import { CommandError, EXIT } from "../exit.js";
import { reportAnswers } from "./answers.js";
import { ShopEndpoint } from "./endpoint.js";
import type { ContractFinding } from "./finding.js";
import { Goods } from "./goods.js";
import { checkOrders } from "./orders.js";
import { checkQuotes } from "./quotes.js";
import { checkRefusals } from "./refusals.js";
import { Report } from "./report.js";
import { checkReservations } from "./reservations.js";
import { ShopUnderTest } from "./shop-under-test.js";

/** A shop may count reservations in whole minutes. */
const FREED_MS_MAX = 90_000;

export interface CheckedShop {
  readonly endpoint: URL;
  readonly secret: string;
  readonly productId: string;
  readonly country: string;
  readonly currency: string;
  /** How long a reservation of a second may hold its goods. */
  readonly freedMsMax?: number;
}

interface CheckResult {
  readonly findings: readonly ContractFinding[];
  /** The test orders that it leaves in the shop, by the shop's own ids. */
  readonly orders: readonly string[];
}

/** Nothing can be said of an endpoint that takes no message of this secret. */
async function expectReachable(endpoint: ShopEndpoint, message: object): Promise<void> {
  const body = JSON.stringify(message);
  const { fault, isLate, status } = await endpoint.send({
    body,
    totalMs: SHOP_MESSAGES.quote.totalMs,
  });
  if (status === 401) {
    const hint = "Check --secret: it must be the secret of a connection to this endpoint.";
    throw new CommandError("The endpoint refuses signed messages with 401.", EXIT.failed, hint);
  }
  if (status !== 0 || isLate) return;
  const hint = "Check the address, and that the shop system is running.";
  throw new CommandError(`The endpoint cannot be reached. ${fault}`, EXIT.unreachable, hint);
}

/** Plays Gatehouse against a shop system, and says which rules of docs/guide/connector.md it keeps. */
export async function checkConnector(
  { endpoint: url, secret, productId, country, currency, freedMsMax = FREED_MS_MAX }: CheckedShop,
  onFinding: (finding: ContractFinding) => void,
): Promise<CheckResult> {
  const endpoint = new ShopEndpoint(url, secret);
  const report = new Report(onFinding);
  const shop = new ShopUnderTest(endpoint, currency);
  const goods = new Goods(shop, productId, country);
  const quote = shop.quoteBody(goods.cart(1, { destination: null }));
  await expectReachable(endpoint, quote);
  await checkRefusals(report, endpoint, quote);
  await checkQuotes(report, goods);
  await checkReservations(report, goods, freedMsMax);
  await checkOrders(report, goods);
  reportAnswers(report, shop.messenger);
  return { findings: report.findings, orders: [...shop.shopOrderIds] };
}

import { setTimeout } from "node:timers/promises";
import type { AnsweredQuote } from "@gatehouse/server/connector";
import { Broken, NotChecked } from "./finding.js";
import type { Cart, ShopUnderTest } from "./shop-under-test.js";

/** More than a test product has. The search for its stock ends here. */
const STOCK_MAX = 10_000;
/** Between two looks at stock that becomes free by itself. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 5000;

/** The product of a run, as it can be bought: with a destination and an option. */
export class Goods {
  readonly shop: ShopUnderTest;
  readonly productId: string;
  readonly country: string;
  optionId: string | null = null;
  /** The stock that was found last, and most often still is. Undefined before it was found at all. */
  private known: number | undefined;

  constructor(shop: ShopUnderTest, productId: string, country: string) {
    this.shop = shop;
    this.productId = productId;
    this.country = country;
  }

  cart(quantity: number, changes: Partial<Cart> = {}): Cart {
    return {
      lines: [{ product_id: this.productId, quantity }],
      destination: { country: this.country },
      option_id: this.optionId,
      coupons: [],
      ...changes,
    };
  }

  /** A quote in which the goods can be bought. */
  async quote(quantity: number, changes: Partial<Cart> = {}): Promise<AnsweredQuote> {
    const quote = await this.shop.quote(this.cart(quantity, changes));
    const fault = quote.lines.find((line) => typeof line === "string");
    if (fault === undefined) return quote;
    const problem = `${quantity} of product ${this.productId} cannot be bought (${fault}).`;
    throw new Broken(problem, this.shop.last);
  }

  /** A quote that another check builds on. Why there is none was reported before. */
  async price(quantity: number, changes: Partial<Cart> = {}): Promise<AnsweredQuote> {
    try {
      return await this.quote(quantity, changes);
    } catch (error) {
      throw error instanceof Broken ? new NotChecked(error.message) : error;
    }
  }

  async reserve(quantity: number): Promise<string> {
    const { totalMinor } = await this.price(quantity);
    return this.shop.reserved(this.cart(quantity), totalMinor);
  }

  /** Finds the stock for the first time. */
  async findStock(): Promise<number> {
    this.known = await this.search();
    return this.known;
  }

  /** How many can be bought now, if it is enough for a check. */
  async stockFor(quantity: number): Promise<number> {
    if (this.known === undefined) throw new NotChecked("The stock was not found.");
    if (!(await this.isStock(this.known))) this.known = await this.search();
    if (this.known >= quantity) return this.known;
    const advice = "Use a product with at least 5 in stock.";
    throw new NotChecked(`Only ${this.known} of the product can be bought. ${advice}`);
  }

  /** Waits until so many can be bought. A shop may round the time of a reservation up. */
  async expectStockWithin(expected: number, msMax: number): Promise<void> {
    const { last } = this.shop;
    const until = performance.now() + msMax;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
      if (await this.isStock(expected)) {
        this.known = expected;
        return;
      }
      if (performance.now() >= until) break;
      await setTimeout(pauseMs);
    }
    this.known = await this.search();
    const problem = `${expected} of product ${this.productId} should be available again, but quotes still show ${this.known}.`;
    throw new Broken(problem, last);
  }

  /** Checks what the last message did to the stock. */
  async expectStock(expected: number): Promise<void> {
    const { last } = this.shop;
    const isAsExpected = await this.isStock(expected);
    this.known = isAsExpected ? expected : await this.search();
    if (isAsExpected) return;
    throw new Broken(
      `${expected} of product ${this.productId} should be available now, but quotes show ${this.known}.`,
      last,
    );
  }

  private async isStock(quantity: number): Promise<boolean> {
    return (
      (quantity === 0 || (await this.isThere(quantity))) && !(await this.isThere(quantity + 1))
    );
  }

  private async isThere(quantity: number): Promise<boolean> {
    const [line] = (await this.shop.quote(this.cart(quantity))).lines;
    return typeof line === "number";
  }

  /** Doubles a quantity until it is not there, and halves the gap. */
  private async search(): Promise<number> {
    let there = 0;
    let missing = 1;
    while (await this.isThere(missing)) {
      if (missing > STOCK_MAX) {
        const counted = `Use a product with a counted stock of at most ${STOCK_MAX}.`;
        throw new Broken(`${missing} can be bought. ${counted}`, this.shop.last);
      }
      there = missing;
      missing *= 2;
    }
    while (missing - there > 1) {
      const middle = Math.floor((there + missing) / 2);
      if (await this.isThere(middle)) there = middle;
      else missing = middle;
    }
    return there;
  }
}

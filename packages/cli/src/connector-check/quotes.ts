import { Broken, NotChecked, needed } from "./finding.js";
import type { Goods } from "./goods.js";
import { newId } from "./new-id.js";
import type { Report } from "./report.js";

const OPTIONS_CHECKED_MAX = 10;

const NO_QUOTE = "There was no quote to compare with.";

async function checkOptions(goods: Goods, ids: readonly string[]): Promise<void> {
  for (const id of ids.slice(0, OPTIONS_CHECKED_MAX)) {
    const { options } = await goods.quote(1, { option_id: id });
    if (options.some((option) => option.id === id)) continue;
    throw new Broken(`The chosen option ${id} is not among the options.`, goods.shop.last);
  }
}

/** Asks for quotes of every kind, and finds the option and the stock for later checks. */
export async function checkQuotes(report: Report, goods: Goods): Promise<void> {
  const { shop } = goods;
  await report.check(
    "Quote",
    "A quote without a destination has no delivery options.",
    async () => {
      const { options } = await goods.quote(1, { destination: null });
      if (options.length === 0) return;
      throw new Broken("There is no destination, so options must be empty.", shop.last);
    },
  );
  const toCountry = await report.check("Quote", "A quote for a country alone is answered.", () =>
    goods.quote(1),
  );
  await report.check("Quote", "A quote with each delivery option is answered.", async () => {
    const { ships, options } = needed(toCountry, NO_QUOTE);
    if (ships && options.length === 0) {
      const advice = "Use --country with a country that the shop delivers to.";
      throw new NotChecked(`There is no option for ${goods.country}. ${advice}`);
    }
    const ids = options.map(({ id }) => id);
    await checkOptions(goods, ids);
    goods.optionId = ids[0] ?? null;
  });
  await report.check("How it works", "Unknown fields are ignored.", async () => {
    const { totalMinor } = needed(toCountry, NO_QUOTE);
    const again = await shop.quote(goods.cart(1, { option_id: null }), { connector_check: true });
    if (again.totalMinor === totalMinor) return;
    throw new Broken("A field that is not in the contract changes the total.", shop.last);
  });
  await report.check("Quote", "An unknown product has the fault not_found.", async () => {
    needed(toCountry, NO_QUOTE);
    const lines = [{ product_id: newId("none"), quantity: 1 }, ...goods.cart(1).lines];
    const [unknown, known] = (await shop.quote(goods.cart(1, { lines }))).lines;
    if (unknown === "not_found" && typeof known === "number") return;
    const problem = `The unknown product has ${unknown}, and the one beside it ${known}.`;
    throw new Broken(problem, shop.last);
  });
  await report.check("Quote", "A coupon that does not exist is in rejected_coupons.", async () => {
    const { totalMinor } = needed(toCountry, NO_QUOTE);
    const coupon = newId("none");
    const quote = await goods.quote(1, { coupons: [coupon], option_id: null });
    if (!quote.rejectedCoupons.includes(coupon)) {
      throw new Broken(`${coupon} is not in rejected_coupons.`, shop.last);
    }
    if (quote.totalMinor === totalMinor) return;
    throw new Broken("A coupon that does not exist changes the total.", shop.last);
  });
  await report.check(
    "Quote",
    "A quantity beyond the stock has the fault out_of_stock.",
    async () => {
      needed(toCountry, NO_QUOTE);
      const stock = await goods.findStock();
      const [line] = (await shop.quote(goods.cart(stock + 1))).lines;
      if (line === "out_of_stock") return;
      throw new Broken(`${stock + 1} are not there, but the line has ${line}.`, shop.last);
    },
  );
}

/** The page for each kind of ID. */
const PAGES = [
  [/^dec_/, "/$site/decisions/$id"],
  [/^esc_/, "/$site/reviews/$id"],
  [/^ord_/, "/$site/orders/$id"],
  [/^agt_/, "/$site/agents/$id"],
  [/^qst_/, "/$site/questions/$id"],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "/$site/audit/$id"],
] as const;

/** Agents choose the IDs of their requests. Ordinary words do not match this. */
const MANDATE = /^(?=.*\d)[\w-]{16,64}$/;

/** The number of an order, as people say it. */
const ORDER_NUMBER = /^#?(\d{3,9})$/;

/** Where an ID or the number of an order leads, or undefined for other words. */
export function pageOfId(site: string, words: string) {
  const page = PAGES.find(([form]) => form.test(words));
  if (page !== undefined) return { to: page[1], params: { site, id: words } };
  const number = ORDER_NUMBER.exec(words)?.[1];
  if (number !== undefined) {
    return { to: "/$site/orders", params: { site }, search: { number } } as const;
  }
  if (!MANDATE.test(words)) return undefined;
  return { to: "/$site/decisions", params: { site }, search: { mandate_id: words } } as const;
}

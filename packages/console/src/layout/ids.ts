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

/** The number of an order that somebody wrote, such as `#1001`. */
export const orderNumber = (words: string): string | undefined => ORDER_NUMBER.exec(words)?.[1];

/** Where an ID leads, or undefined for other words. */
export function pageOfId(site: string, words: string) {
  const page = PAGES.find(([form]) => form.test(words));
  if (page !== undefined) return { to: page[1], params: { site, id: words } };
  if (!MANDATE.test(words)) return undefined;
  return { to: "/$site/decisions", params: { site }, search: { mandate_id: words } } as const;
}

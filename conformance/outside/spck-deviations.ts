/** The number of checks that passed when this was recorded. Raise it when more pass. */
export const PASSED_MIN = 105;

const UNSIGNED_ORDER =
  "spck reads an order without authentication. UCP (order.md, spck's own ORD-012) requires a shop to authenticate " +
  "such a request, and a Gatehouse shop does: it shows an order to signed calls only.";

/**
 * The checks that deviate, and why. The test fails for a check that deviates and is not here, and for a row whose
 * check does not deviate any more.
 */
export const DEVIATIONS: Readonly<Record<string, string>> = {
  "catalog.pagination_cursor_walk":
    "spck sends `cursor` beside `query`. In UCP's schema (catalog_search.json) it is `pagination.cursor`, so the shop " +
    "reads a first page.",
  "catalog.search_requires_input":
    "The shop answers 400 with `code` and `content`, UCP's shape of a protocol error (spck's own CHK-050). The check " +
    "looks for `detail`, `messages`, `error` or `error_code` instead.",
  "checkout.completed_immutable":
    "The completed checkout stays as it is. The shop answers a cancellation with 200 and an error message in " +
    "`messages`, as UCP does for business outcomes; the check wants a 4xx, which the clause does not name.",
  "checkout.unavailable_business_outcome":
    "The shop answers 200 with `ucp.status` error and names the item that cannot be bought, as the clause says. The " +
    "check also wants a checkout of the other items; we do not sell a buyer less than they asked for.",
  "mcp.get_order_tool": UNSIGNED_ORDER,
  "order.entity_shape": UNSIGNED_ORDER,
  "order.line_item_shape": UNSIGNED_ORDER,
  "order.response_valid_json": UNSIGNED_ORDER,
  "order.responses_signed": UNSIGNED_ORDER,
};

import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useMay, useSite } from "../layout/sites.js";
import { useSpan } from "../ui/day-range.js";
import { isNarrowed } from "../ui/filter.js";
import { SearchField } from "../ui/search-field.js";

/** The filter in the address. A buyer is in the part of the address that is not sent to any server. */
export function useOrderFilter() {
  const { path } = useSite();
  const search = useSearch({ from: "/shell/$site/orders" });
  const hash = useLocation({ select: (location) => location.hash });
  const buyer = useMay("owner") ? new URLSearchParams(hash).get("buyer") : null;
  const filter = { ...search, ...useSpan(search) };
  const { sort: _, ...narrowing } = search;
  return {
    search,
    buyer,
    isNarrow: buyer !== null || isNarrowed(narrowing),
    ...(buyer === null
      ? { path: `${path}/orders`, filter }
      : { path: `${path}/orders/search`, filter: { ...filter, number: undefined, buyer } }),
  };
}

const ORDER_NUMBER = /^#?\d+$/;

/** Finds orders by number, and for owners by buyer. */
export function OrderSearch({
  number,
  buyer,
}: {
  readonly number: string | undefined;
  readonly buyer: string | null;
}) {
  const navigate = useNavigate({ from: "/$site/orders" });
  const maySearch = useMay("owner");
  const value = buyer ?? number;
  function find(words = "") {
    const isNumber = ORDER_NUMBER.test(words) || !maySearch;
    void navigate({
      search: (now) => ({
        ...now,
        number: (isNumber && words.replace(/\D/g, "")) || undefined,
      }),
      hash: isNumber || words === "" ? "" : new URLSearchParams({ buyer: words }).toString(),
    });
  }
  return (
    <SearchField
      key={value}
      label={maySearch ? "Buyer, email or order number" : "Order number"}
      placeholder={maySearch ? "Ada Love" : "#1042"}
      value={value}
      onSearch={find}
    />
  );
}

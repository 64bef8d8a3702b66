import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Bot, type LucideIcon, Package, Store, Tag } from "lucide-react";
import { useEffect, useState } from "react";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import type { Option } from "../ui/picker.js";
import { moneyText } from "../ui/words.js";
import { orderNumber } from "./ids.js";

const FOUND_MAX = "5";
/** Typing pauses at least this long before the service is asked. */
const PAUSE_MS = 200;

/** The words once somebody has stopped typing. */
export function useSettled(words: string): string {
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return settled;
}

/** What the service finds in one of its lists. */
function useFound<Item>(
  path: string,
  list: string,
  search: Readonly<Record<string, string>> | undefined,
  optionOf: (item: Item) => Omit<Option, "icon">,
  icon: LucideIcon,
): readonly Option[] {
  const { data } = useQuery({
    queryKey: [list, path, "search", search],
    queryFn: () =>
      call<Page<Item>>("GET", `${path}/${list}?${queryText({ ...search, limit: FOUND_MAX })}`),
    enabled: search !== undefined,
  });
  const items = search === undefined ? [] : (data?.items ?? []);
  return items.map((item) => ({ icon, ...optionOf(item) }));
}

/** The orders, products, agents and platforms of a site that match some words. */
export function useThings(path: string, site: string, asked: string) {
  const navigate = useNavigate();
  const named = asked === "" ? undefined : { q: asked };
  const number = orderNumber(asked);
  const orders = useFound<Api["Order"]>(
    path,
    "orders",
    number === undefined ? undefined : { number },
    ({ order_id: id, number: own, amount }) => ({
      key: id,
      label: `Order #${own}`,
      note: moneyText(amount),
      onChoose: () => void navigate({ to: "/$site/orders/$id", params: { site, id } }),
    }),
    Package,
  );
  const products = useFound<Api["Product"]>(
    path,
    "products",
    named,
    ({ id, title, price }) => ({
      key: id,
      label: title,
      note: moneyText(price),
      onChoose: () => void navigate({ to: "/$site/products/$id", params: { site, id } }),
    }),
    Tag,
  );
  const agents = useFound<Api["Agent"]>(
    path,
    "agents",
    named,
    ({ agent_id: id, name }) => ({
      key: id,
      label: name,
      onChoose: () => void navigate({ to: "/$site/agents/$id", params: { site, id } }),
    }),
    Bot,
  );
  const platforms = useFound<Api["Platform"]>(
    path,
    "platforms",
    named,
    ({ platform: q }) => ({
      key: q,
      label: q,
      onChoose: () => void navigate({ to: "/$site/platforms", params: { site }, search: { q } }),
    }),
    Store,
  );
  return { orders, products, agents, platforms };
}

import type { JsonObject } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Bot,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestionMark,
  Package,
  Store,
  Tag,
  UserRound,
} from "lucide-react";
import { useEffect, useState } from "react";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import { policyQuery, rulesOf } from "../policy/policy.js";
import type { Option } from "../ui/picker.js";
import { moneyText, strangersText } from "../ui/words.js";
import { orderNumber } from "./ids.js";
import { usePeople } from "./people.js";
import { useMay } from "./sites.js";

const FOUND_MAX = 5;
/** Shorter words are parts of too many names. */
const NAME_CHARS_MIN = 3;
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
      call<Page<Item>>(
        "GET",
        `${path}/${list}?${queryText({ ...search, limit: String(FOUND_MAX) })}`,
      ),
    enabled: search !== undefined,
  });
  const items = search === undefined ? [] : (data?.items ?? []);
  return items.map((item) => ({ icon, ...optionOf(item) }));
}

const contains = (text: string, words: string) => text.toLowerCase().includes(words.toLowerCase());

/** The questions and rules of a site, and the people who work at it, that contain some words. */
function useWords(path: string, site: string, search: string) {
  const navigate = useNavigate();
  const people = usePeople();
  const isAsked = search !== "";
  // Questions and rules have no search of their own. There are few, so they are looked through here.
  const { data: questioned } = useQuery({
    queryKey: ["questions", path, "newest"],
    queryFn: () => call<Page<Api["Question"]>>("GET", `${path}/questions?limit=200`),
    enabled: isAsked,
    staleTime: 30_000,
  });
  const { data: policy } = useQuery({ ...policyQuery(path), enabled: isAsked });
  const questions = (questioned?.items ?? [])
    .filter(({ question }) => isAsked && contains(question, search))
    .slice(0, FOUND_MAX)
    .map(({ question_id: id, question }) => ({
      key: id,
      icon: MessageCircleQuestionMark,
      label: strangersText(question),
      onChoose: () => void navigate({ to: "/$site/questions/$id", params: { site, id } }),
    }));
  const rules = rulesOf((policy?.document ?? {}) as JsonObject)
    .map(({ id, title }) => String(title ?? id))
    .filter((title) => isAsked && contains(title, search))
    .map((title) => ({
      key: `rule ${title}`,
      icon: ListChecks,
      label: title,
      onChoose: () => void navigate({ to: "/$site/policy", params: { site } }),
    }));
  const persons = [...people]
    .filter(([, name]) => isAsked && contains(name, search))
    .map(([id, name]) => ({
      key: id,
      icon: UserRound,
      label: name,
      onChoose: () =>
        void navigate({ to: "/$site/settings/$part", params: { site, part: "people" } }),
    }));
  return { questions, rules, persons };
}

/** Everything of a site that some words find. */
export function useThings(path: string, site: string, words: string) {
  const navigate = useNavigate();
  const number = orderNumber(words);
  const mayFindBuyers = useMay("owner");
  const isName = mayFindBuyers && words.length >= NAME_CHARS_MIN && number === undefined;
  const byName = useQuery({
    queryKey: ["orders", path, "search buyers", words],
    queryFn: () => {
      const search = { buyer: words, limit: FOUND_MAX };
      return call<Page<Api["ListedOrder"]>>("POST", `${path}/orders/search`, search);
    },
    enabled: isName,
  });
  const buyers = (isName ? (byName.data?.items ?? []) : []).map(
    ({ order_id: id, number: own, buyer_name: buyer, amount }) => ({
      key: `buyer ${id}`,
      icon: UserRound,
      label: strangersText(buyer ?? `Order #${own}`),
      note: `Order #${own} · ${moneyText(amount)}`,
      onChoose: () => void navigate({ to: "/$site/orders/$id", params: { site, id } }),
    }),
  );
  // The name of a buyer is in no address, because addresses are logged: other lists are searched if no buyer has it.
  const mayBeInAddress = words !== "" && (!isName || (byName.isSuccess && buyers.length === 0));
  const named = mayBeInAddress ? { q: words } : undefined;
  const showProducts = {
    key: "products",
    icon: Tag,
    label: `Show products named “${words}”`,
    onChoose: () =>
      void navigate({ to: "/$site/products", params: { site }, search: { q: words } }),
  };
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
      onChoose: () => void navigate({ to: "/$site/platforms/$id", params: { site, id: q } }),
    }),
    Store,
  );
  const offered = buyers.length > 0 ? [showProducts] : products;
  return { orders, buyers, products: offered, agents, platforms, ...useWords(path, site, words) };
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Bot, Hash, type LucideIcon, Settings, Store, Tag } from "lucide-react";
import { useEffect, useState } from "react";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import { SETTINGS_PARTS } from "../settings/parts.js";
import { type Option, Picker } from "../ui/picker.js";
import { moneyText } from "../ui/words.js";
import { pageOfId } from "./ids.js";
import { PAGE_GROUPS } from "./navigation.js";

const FOUND_MAX = "5";
/** Typing pauses at least this long before the service is asked. */
const PAUSE_MS = 200;

/** The words once somebody has stopped typing. */
function useSettled(words: string): string {
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
  words: string,
  optionOf: (item: Item) => Omit<Option, "icon">,
  icon: LucideIcon,
): readonly Option[] {
  const { data } = useQuery({
    queryKey: [list, path, "search", words],
    queryFn: () =>
      call<Page<Item>>("GET", `${path}/${list}?${queryText({ q: words, limit: FOUND_MAX })}`),
    enabled: words !== "",
  });
  return (words === "" ? [] : (data?.items ?? [])).map((item) => ({ icon, ...optionOf(item) }));
}

interface Props {
  readonly site: string;
  readonly path: string;
  readonly open: boolean;
  onClose(): void;
}

/** Finds pages, settings, products, agents and platforms by name, and everything else by ID. */
export function Search({ site, path, open, onClose }: Props) {
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const wanted = words.trim();
  const asked = useSettled(wanted);
  const params = { site };
  const products = useFound<Api["Product"]>(
    path,
    "products",
    asked,
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
    asked,
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
    asked,
    ({ platform: q }) => ({
      key: q,
      label: q,
      onChoose: () => void navigate({ to: "/$site/platforms", params, search: { q } }),
    }),
    Store,
  );
  const matches = (label: string) => label.toLowerCase().includes(wanted.toLowerCase());
  const pages = PAGE_GROUPS.flat()
    .filter(({ label }) => matches(label))
    .map(({ to, label, icon }) => ({
      ...{ key: to, label, icon },
      onChoose: () => void navigate({ to, params }),
    }));
  const settings = Object.entries(SETTINGS_PARTS)
    .filter(([, { label }]) => wanted !== "" && matches(label))
    .map(([part, { label }]) => ({
      ...{ key: part, label, icon: Settings },
      onChoose: () => void navigate({ to: "/$site/settings/$part", params: { site, part } }),
    }));
  const page = pageOfId(site, wanted);
  const byId: readonly Option[] =
    page === undefined
      ? []
      : [{ key: "id", label: `Open ${wanted}`, icon: Hash, onChoose: () => void navigate(page) }];
  function close() {
    onClose();
    setWords("");
  }
  return (
    <Picker
      title="Find anything"
      placeholder="A page, product, agent or ID"
      empty={wanted === asked ? `Nothing found for “${wanted}”.` : "Searching…"}
      groups={[
        { title: "By ID", options: byId },
        { title: "Pages", options: pages },
        { title: "Settings", options: settings },
        { title: "Products", options: products },
        { title: "Agents", options: agents },
        { title: "Platforms", options: platforms },
      ]}
      {...{ open, words }}
      onWords={setWords}
      onClose={close}
    />
  );
}

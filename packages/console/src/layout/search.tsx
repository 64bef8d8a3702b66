import { useNavigate } from "@tanstack/react-router";
import { Hash, Settings } from "lucide-react";
import { useState } from "react";
import { SETTINGS_PARTS } from "../settings/parts.js";
import { type Option, Picker } from "../ui/picker.js";
import { useActions } from "./find-actions.js";
import { useSettled, useThings } from "./find-things.js";
import { pageOfId } from "./ids.js";
import { ALL_PAGES } from "./navigation.js";
import { PauseDialog } from "./pause.js";

interface Props {
  readonly site: string;
  readonly path: string;
  readonly open: boolean;
  onClose(): void;
}

/** The search, and the question that one of its actions asks. */
export function Search(props: Props) {
  const [pausing, setPausing] = useState(false);
  return (
    <>
      <Finder {...props} onPause={() => setPausing(true)} />
      <PauseDialog open={pausing} onClose={() => setPausing(false)} />
    </>
  );
}

/** Finds pages, settings, products, callers, questions, rules and people by words, orders by number or buyer, and everything else by ID. */
function Finder({ site, path, open, onClose, onPause }: Props & { onPause(): void }) {
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const wanted = words.trim();
  const settled = useSettled(wanted);
  const params = { site };
  const things = useThings(path, site, settled);
  const matches = (label: string) => label.toLowerCase().includes(wanted.toLowerCase());
  const actions = useActions(onPause)
    .filter(({ label, words: more }) => matches(`${label} ${more}`))
    .map(({ label, icon, run }) => ({ key: label, label, icon, onChoose: run }));
  const pages = ALL_PAGES.filter(({ label }) => matches(label)).map(({ to, label, icon }) => ({
    key: to,
    label,
    icon,
    onChoose: () => void navigate({ to, params }),
  }));
  const settings = Object.entries(SETTINGS_PARTS)
    .filter(([, { label, purpose }]) => wanted !== "" && matches(`${label} ${purpose}`))
    .map(([part, { label }]) => ({
      key: part,
      label,
      icon: Settings,
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
      placeholder="A page, an order, a product, or an action"
      empty={wanted === settled ? `Nothing found for “${wanted}”.` : "Searching…"}
      groups={[
        { title: "Orders", options: things.orders },
        { title: "By ID", options: byId },
        { title: "Pages", options: pages },
        { title: "Actions", options: actions },
        { title: "Settings", options: settings },
        { title: "Buyers", options: things.buyers },
        { title: "Products", options: things.products },
        { title: "Agents", options: things.agents },
        { title: "Platforms", options: things.platforms },
        { title: "Questions", options: things.questions },
        { title: "Rules", options: things.rules },
        { title: "People", options: things.persons },
      ]}
      open={open}
      words={words}
      onWords={setWords}
      onClose={close}
    />
  );
}

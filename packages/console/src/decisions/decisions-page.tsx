import { Link, useSearch } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { DayRange, spanOf } from "../ui/day-range.js";
import { Select } from "../ui/field.js";
import { isNarrowed, useSetFilter } from "../ui/filter.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { Time } from "../ui/time.js";
import { moneyText, plainWord } from "../ui/words.js";
import { type Decision, OUTCOMES } from "./decisions.js";

function columnsFor(site: string): readonly Column<Decision>[] {
  return [
    {
      head: "Decision",
      cell: ({ decision_id, skill, amount }) => (
        <Link to="/$site/decisions/$id" params={{ site, id: decision_id }} className="link">
          {skill} {moneyText(amount)}
        </Link>
      ),
    },
    { head: "Outcome", cell: ({ outcome }) => <Badge word={outcome} /> },
    {
      head: "Because",
      cell: ({ reason, rule_id }) =>
        [rule_id === null ? null : `rule ${rule_id}`, reason === null ? null : plainWord(reason)]
          .filter((part) => part !== null)
          .join(", ") || "the default of the policy",
    },
    { head: "Agent", cell: ({ agent_id }) => <Asker id={agent_id} /> },
    { head: "When", cell: ({ evaluated_at }) => <Time at={evaluated_at} /> },
  ];
}

/** Every decision, and why. */
export function DecisionsPage() {
  const { name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/decisions" });
  const set = useSetFilter();
  const filter = { ...search, ...spanOf(search) };
  const list = useList<Decision>("decisions", `${path}/decisions`, filter);
  return (
    <Page
      title="Decisions"
      about="What agents asked for with a mandate or at checkout, what was decided, and by which rule."
      actions={<ExportButton path={`${path}/decisions`} filter={filter} name="decisions" />}
    >
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Select
          label="Outcome"
          value={search.outcome ?? ""}
          choices={{ "": "All of them", ...OUTCOMES }}
          onChoose={(value) => set("outcome", value)}
        />
        <DayRange from={search.from} to={search.to} onSet={set} />
        <SearchField
          key={search.agent_id ?? ""}
          label="Agent"
          value={search.agent_id}
          placeholder="agt_…"
          onSearch={(words) => set("agent_id", words)}
        />
      </div>
      {search.mandate_id !== undefined && (
        <p className="text-sm">
          Of the mandate <code className="break-all text-xs">{search.mandate_id}</code>.{" "}
          <button type="button" className="link" onClick={() => set("mandate_id", undefined)}>
            Show all
          </button>
        </p>
      )}
      <ListView
        {...{ list, columns: columnsFor(name), label: "Decisions" }}
        keyOf={({ decision_id }) => decision_id}
        empty={
          isNarrowed(search) ? (
            <Empty title="Nothing is like that">Choose something else above.</Empty>
          ) : (
            <Empty title="Nothing was decided yet">
              <p>
                Every signed mandate and every checkout of an agent ends up here, with the rules
                that matched. The{" "}
                <Link to="/$site/setup" params={{ site: name }} className="link">
                  set-up
                </Link>{" "}
                has a test agent that makes one.
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

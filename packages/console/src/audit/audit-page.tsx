import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type Api, call, OWN } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { DayRange, useSpan } from "../ui/day-range.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { useSetFilter } from "../ui/filter.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Notice } from "../ui/notice.js";
import { SaveMessage } from "../ui/outcome.js";
import { Card, Facts, FoldCard, Page } from "../ui/page.js";
import { saveFile } from "../ui/save-file.js";
import { ShortTime } from "../ui/time.js";
import { countText } from "../ui/words.js";
import { nameIn, useActors } from "./actors.js";
import { type NameOf, recordText, TYPES } from "./records.js";
import { ExportCard, FilesCard } from "./verify-card.js";

type Entry = Api["ListedAuditEntry"];
const field = ({ record }: Entry, name: string) => String(record[name] ?? "");

function columnsFor(site: string, nameOf: NameOf): readonly Column<Entry>[] {
  return [
    {
      head: "What happened",
      cell: (entry) => (
        <Link
          to="/$site/audit/$id"
          params={{ site, id: field(entry, "record_id") }}
          className="link"
        >
          <bdi className="break-words">{recordText(entry.record, entry.order_number, nameOf)}</bdi>
        </Link>
      ),
    },
    {
      head: "Type",
      narrow: "state",
      cell: (entry) => (
        <span className="text-soft">{TYPES[field(entry, "type")] ?? field(entry, "type")}</span>
      ),
    },
    { head: "No.", right: true, narrow: "hidden", cell: (entry) => field(entry, "seq") },
    {
      head: "When",
      narrow: "time",
      cell: (entry) => <ShortTime at={field(entry, "recorded_at")} />,
    },
  ];
}

/** Saves a checkpoint, which later shows whether the log was rewritten. */
function SaveCheckpoint() {
  const { site, path } = useSite();
  const save = useSave(async () => {
    const response = await fetch(`${path}/audit/checkpoint`, { headers: OWN });
    if (!response.ok) throw new Error("There is no checkpoint yet. Try again in a minute.");
    saveFile(`${site.domain}-checkpoint.txt`, "text/plain", await response.text());
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        Save a checkpoint
      </Button>
      <p className="text-xs text-soft">
        Store it somewhere else. Later it shows whether the log was rewritten.
      </p>
      <SaveMessage of={save} />
    </div>
  );
}

function Logs() {
  const { path } = useSite();
  const logs = useQuery({
    queryKey: ["audit", path, "logs"],
    queryFn: () => call<{ items: Api["AuditLog"][] }>("GET", `${path}/audit/logs`),
  });
  return logs.data?.items.map((log) => (
    <Card key={log.chain} title={<span className="break-all">{log.chain}</span>}>
      {log.held !== null && <Notice bad>The log is frozen: {log.held}</Notice>}
      <Facts
        rows={[
          [
            "State",
            <Badge
              key="state"
              word={log.state === "open" ? "active" : log.state}
              look={log.state === "open" ? "good" : "plain"}
            />,
          ],
          ["Records", countText(log.records, "record")],
          ["Days", `${log.first_day} to ${log.last_day} (UTC)`],
        ]}
      />
      {log.state === "open" && <SaveCheckpoint />}
    </Card>
  ));
}

/** The audit log: browse it, verify it in the browser, export it. */
export function AuditPage() {
  const { name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/audit" });
  const set = useSetFilter();
  const actors = useActors();
  const nameOf = nameIn(actors);
  const filter = { ...search, ...useSpan(search) };
  const list = useList<Entry>("audit", `${path}/audit/records`, filter);
  const { actor = "" } = search;
  return (
    <Page
      title="Audit log"
      purpose="Decisions, payments and changes, in a signed log. Save checkpoints outside Gatehouse: with them you can notice any later edit. Reading the log is recorded too."
      actions={
        <ExportButton
          path={`${path}/audit/records`}
          filter={filter}
          name="audit-records"
          rowOf={(entry: Entry) => ({
            when: entry.record.recorded_at,
            what_happened: recordText(entry.record, entry.order_number, nameOf),
            type: TYPES[field(entry, "type")] ?? field(entry, "type"),
            number_in_log: entry.record.seq,
            record_id: entry.record.record_id,
          })}
        />
      }
    >
      <FoldCard title="Verify and export the log">
        <div className="grid items-start gap-4 lg:grid-cols-3">
          <ExportCard />
          <FilesCard />
          <div className="flex min-w-0 flex-col gap-4">
            <Logs />
          </div>
        </div>
      </FoldCard>
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">
        <Select
          label="Type"
          value={search.type ?? ""}
          choices={{ "": "All", ...TYPES }}
          onChoose={(type) => set("type", type)}
        />
        <Select
          label="By"
          value={actor}
          choices={{
            "": "Anybody",
            ...(actor === "" ? {} : { [actor]: nameOf(actor) }),
            ...Object.fromEntries(actors),
          }}
          onChoose={(id) => set("actor", id)}
        />
        <DayRange from={search.from} to={search.to} onSet={set} />
      </div>
      {search.chain !== undefined && (
        <p className="text-sm">
          Records of the log <code className="break-all text-xs">{search.chain}</code>.{" "}
          <button type="button" className="link" onClick={() => set("chain", undefined)}>
            Show the current log
          </button>
        </p>
      )}
      <ListView
        list={list}
        columns={columnsFor(name, nameOf)}
        label="Records"
        keyOf={(entry) => field(entry, "record_id")}
        empty={<NothingFound title="No records found" />}
      />
    </Page>
  );
}

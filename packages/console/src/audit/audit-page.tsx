import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type Api, call, OWN } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Select } from "../ui/field.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Notice } from "../ui/notice.js";
import { Outcome } from "../ui/outcome.js";
import { Card, Facts, Page } from "../ui/page.js";
import { saveFile } from "../ui/save-file.js";
import { ShortTime } from "../ui/time.js";
import { countText } from "../ui/words.js";
import { recordText, TYPES } from "./records.js";
import { ExportCard, FilesCard } from "./verify-card.js";

type Entry = Api["AuditEntry"];
const field = ({ record }: Entry, name: string) => String(record[name] ?? "");

function columnsFor(site: string): readonly Column<Entry>[] {
  return [
    { head: "No.", right: true, narrow: "side", cell: (entry) => field(entry, "seq") },
    {
      head: "Record",
      cell: (entry) => (
        <Link
          to="/$site/audit/$id"
          params={{ site, id: field(entry, "record_id") }}
          className="link"
        >
          {TYPES[field(entry, "type")] ?? field(entry, "type")}
        </Link>
      ),
    },
    {
      head: "What happened",
      cell: ({ record }) => <span className="break-words">{recordText(record)}</span>,
    },
    { head: "When", cell: (entry) => <ShortTime at={field(entry, "recorded_at")} /> },
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
      <Outcome of={save} />
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
  const navigate = useNavigate({ from: "/$site/audit" });
  const list = useList<Entry>("audit", `${path}/audit/records`, search);
  return (
    <Page
      title="Audit log"
      about="Decisions, payments and changes, in a signed log. Save checkpoints outside Gatehouse: with them you can notice any later edit. Reading the log is recorded too."
      actions={<ExportButton path={`${path}/audit/records`} filter={search} name="audit-records" />}
    >
      <div className="grid items-start gap-4 lg:grid-cols-3">
        <ExportCard />
        <FilesCard />
        <div className="flex min-w-0 flex-col gap-4">
          <Logs />
        </div>
      </div>
      <div className="max-w-sm">
        <Select
          label="Type"
          value={search.type ?? ""}
          choices={{ "": "All", ...TYPES }}
          onChoose={(type) =>
            void navigate({ search: (now) => ({ ...now, type: type || undefined }) })
          }
        />
      </div>
      {search.chain !== undefined && (
        <p className="text-sm">
          Records of the log <code className="break-all text-xs">{search.chain}</code>.{" "}
          <button
            type="button"
            className="link"
            onClick={() => void navigate({ search: { type: search.type } })}
          >
            Show the current log
          </button>
        </p>
      )}
      <ListView
        {...{ list, columns: columnsFor(name), label: "Records" }}
        keyOf={(entry) => field(entry, "record_id")}
        empty={<NothingFound title="No records of this type" />}
      />
    </Page>
  );
}

import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Api } from "../api/client.js";
import { useList } from "../api/list.js";
import { CallerTabs } from "../layout/pages.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { isNarrowed, useSetFilter } from "../ui/filter.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { ShortTime } from "../ui/time.js";
import { choicesOf } from "../ui/words.js";
import { AddPlatform } from "./add-platform.js";
import { PlatformSettingsCard } from "./platform-settings.js";
import { PlatformSteps } from "./platform-steps.js";

type Platform = Api["Platform"];

const STATES = choicesOf("seen", "admitted", "suspended");

const seenAt = (at: string | null) => (at === null ? "Never" : <ShortTime at={at} />);

function columnsFor(site: string, mayAct: boolean): readonly Column<Platform>[] {
  return [
    {
      head: "Platform",
      sortBy: ({ platform, name }) => name ?? platform,
      cell: ({ platform, name, note }) => (
        <>
          <Link
            to="/$site/platforms/$id"
            params={{ site, id: platform }}
            className="link font-medium"
          >
            {name ?? platform}
          </Link>
          {name !== null && <span className="block break-all text-soft">{platform}</span>}
          {note !== null && <span className="block text-soft">{note}</span>}
        </>
      ),
    },
    {
      head: "State",
      narrow: "side",
      sortBy: ({ status }) => status,
      cell: ({ status }) => <Badge word={status} />,
    },
    { head: "First seen", narrow: "hidden", cell: ({ first_seen_at }) => seenAt(first_seen_at) },
    {
      head: "Last seen",
      narrow: "time",
      sortBy: ({ last_seen_at }) => last_seen_at ?? "",
      cell: ({ last_seen_at }) => seenAt(last_seen_at),
    },
    {
      head: "Decisions, last 30 days",
      narrow: "hidden",
      sortBy: ({ recent_decisions }) => recent_decisions,
      cell: ({ recent_decisions }) => recent_decisions.toLocaleString(),
    },
    ...(mayAct
      ? [{ head: "Change", cell: (platform: Platform) => <PlatformSteps platform={platform} /> }]
      : []),
  ];
}

/** The platforms that have checked out at a site. */
export function PlatformsPage() {
  const { name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/platforms" });
  const mayAct = useMay("owner");
  const set = useSetFilter();
  const list = useList<Platform>("platforms", `${path}/platforms`, search);
  const [isAdding, setAdding] = useState(false);
  const isEmpty = list.data?.length === 0;
  const add = mayAct && !isAdding && (
    <Button kind="act" onClick={() => setAdding(true)}>
      Admit a platform
    </Button>
  );
  return (
    <Page
      title="Platforms"
      tabs={<CallerTabs />}
      purpose="Shopping apps that buy in your shop for their users. Admit the ones you know. All others share one limit."
      actions={
        <>
          <ExportButton path={`${path}/platforms`} filter={search} name="platforms" />
          {!isEmpty && add}
        </>
      }
    >
      {isAdding && <AddPlatform onClose={() => setAdding(false)} />}
      <div className="grid max-w-2xl items-end gap-3 sm:grid-cols-2">
        <Select
          label="State"
          value={search.status ?? ""}
          choices={{ "": "All", ...STATES }}
          onChoose={(value) => set("status", value)}
        />
        <SearchField
          key={search.q ?? ""}
          label="Name or domain"
          value={search.q}
          onSearch={(words) => set("q", words)}
        />
      </div>
      <ListView
        list={list}
        columns={columnsFor(name, mayAct)}
        label="Platforms"
        keyOf={({ platform }) => platform}
        empty={
          isNarrowed(search) ? (
            <NothingFound title="No platforms found" />
          ) : (
            <Empty
              title="No platforms yet"
              example="Shopping app · platform.example · first seen today"
              action={add}
            >
              <p>A platform appears here when it first checks out at your shop.</p>
            </Empty>
          )
        }
      />
      <PlatformSettingsCard />
    </Page>
  );
}

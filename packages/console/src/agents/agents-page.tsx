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
import { AddAgent } from "./add-agent.js";
import { AgentName, agentState, STATES, scopeText } from "./agents.js";
import { RejectPending } from "./reject-pending.js";

type Agent = Api["Agent"];

function columnsFor(site: string): readonly Column<Agent>[] {
  return [
    {
      head: "Agent",
      sortBy: ({ name }) => name,
      cell: (agent) => (
        <Link to="/$site/agents/$id" params={{ site, id: agent.agent_id }} className="link">
          <AgentName agent={agent} />
        </Link>
      ),
    },
    {
      head: "State",
      narrow: "side",
      sortBy: agentState,
      cell: (agent) => <Badge word={agentState(agent)} />,
    },
    { head: "Tags", narrow: "state", cell: ({ tags }) => tags.join(", ") || "–" },
    {
      head: "Scopes",
      narrow: "hidden",
      cell: ({ scopes }) => scopes?.map(scopeText).join(", ") ?? "Everything",
    },
    {
      head: "Registered",
      narrow: "time",
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <ShortTime at={created_at} />,
    },
  ];
}

/** An agent of a test purchase that is over. It is listed only among the revoked ones. */
const isEndedTest = ({ status, tags }: Agent) => status === "revoked" && tags.includes("setup");

/** The agents that are registered at this site. */
export function AgentsPage() {
  const { name, path } = useSite();
  const search = useSearch({ from: "/shell/$site/agents" });
  const mayAdd = useMay("owner");
  const set = useSetFilter();
  const all = useList<Agent>("agents", `${path}/agents`, search);
  const list =
    search.status === undefined && all.isSuccess
      ? { ...all, data: all.data.filter((agent) => !isEndedTest(agent)) }
      : all;
  const [isAdding, setAdding] = useState(false);
  const isEmpty = list.data?.length === 0;
  const add = mayAdd && !isAdding && (
    <Button kind="act" onClick={() => setAdding(true)}>
      Add an agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      tabs={<CallerTabs />}
      purpose="Agents that can send signed requests to your shop. They register themselves and wait for your approval, or you add them."
      actions={
        <>
          {search.status === "pending" && <RejectPending />}
          <ExportButton path={`${path}/agents`} filter={search} name="agents" />
          {!isEmpty && add}
        </>
      }
    >
      {isAdding && <AddAgent onClose={() => setAdding(false)} />}
      <div className="grid max-w-2xl items-end gap-3 sm:grid-cols-2">
        <Select
          label="State"
          value={search.status ?? ""}
          choices={{ "": "All", ...STATES }}
          onChoose={(value) => set("status", value)}
        />
        <SearchField
          key={search.q ?? ""}
          label="Name or ID"
          value={search.q}
          onSearch={(words) => set("q", words)}
        />
      </div>
      <ListView
        list={list}
        columns={columnsFor(name)}
        label="Agents"
        keyOf={({ agent_id }) => agent_id}
        empty={
          isNarrowed(search) ? (
            <NothingFound title="No agents found" />
          ) : (
            <Empty
              title="No agents yet"
              example="Ada’s assistant · waiting for your approval"
              action={add}
            >
              <p>
                Agents register at the address on your agent page. They wait here until you approve
                them. Registration must be turned on in{" "}
                <Link
                  to="/$site/settings/$part"
                  params={{ site: name, part: "skills" }}
                  className="link"
                >
                  Settings
                </Link>
                .
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

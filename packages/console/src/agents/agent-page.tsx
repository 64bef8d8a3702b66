import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { AgentHistory } from "../reviews/agent-history.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Id } from "../ui/id.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { notify } from "../ui/toast.js";
import { AgentLimits } from "./agent-limits.js";
import { agentState, scopeText } from "./agents.js";

type Agent = Api["AgentWithKeys"];

interface Step {
  readonly label: string;
  readonly title?: string;
  /** The text of the confirmation. Without it, the step is done at once and can be undone. */
  readonly text?: string;
  readonly danger?: boolean;
  readonly from: readonly Agent["status"][];
}

/** What an owner can do with an agent in each state. */
const STEPS: Readonly<Record<string, Step>> = {
  approve: {
    label: "Approve",
    title: "Approve this agent?",
    text: "It can send requests. Your rules apply to each of them.",
    from: ["pending", "suspended", "rejected"],
  },
  reject: {
    label: "Decline",
    title: "Decline this agent?",
    danger: true,
    text: "It cannot send requests. You can change your mind and approve it within 90 days.",
    from: ["pending"],
  },
  suspend: {
    label: "Suspend",
    from: ["active"],
  },
  revoke: {
    label: "Revoke",
    title: "Revoke this agent permanently?",
    danger: true,
    text: "Its keys stop working immediately. You cannot undo this.",
    from: ["active", "suspended", "rejected"],
  },
};

function Steps({ agent }: { readonly agent: Agent }) {
  const { path } = useSite();
  const take = useSave((at: string) => call("POST", at, {}), "agents");
  const at = `${path}/agents/${encodeURIComponent(agent.agent_id)}`;
  const suspend = () =>
    take.mutate(`${at}/suspend`, {
      onSuccess: () =>
        notify("Suspended. Its requests are declined.", () => take.mutateAsync(`${at}/approve`)),
    });
  const steps = Object.entries(STEPS).filter(([, { from }]) => from.includes(agent.status));
  return (
    <>
      {steps.map(([step, { label, title = label, text, danger = false }]) =>
        text === undefined ? (
          <Button key={step} disabled={take.isPending} onClick={suspend}>
            {label}
          </Button>
        ) : (
          <Confirm
            key={step}
            label={label}
            title={title}
            danger={danger}
            yes={label}
            onYes={() => take.mutateAsync(`${at}/${step}`)}
          >
            <p>{text}</p>
          </Confirm>
        ),
      )}
      {take.isError && <Failure error={take.error} />}
    </>
  );
}

function Keys({ agent }: { readonly agent: Agent }) {
  return (
    <Card title="Keys">
      <ul className="flex flex-col gap-2 text-sm">
        {agent.keys.map(({ kid, status, created_at, not_after }) => (
          <li key={kid} className="flex flex-wrap items-center gap-2">
            <Badge word={status} /> <Id value={kid} label="key ID" />
            <span className="text-soft">
              since <Time at={created_at} />
              {not_after !== null && (
                <>
                  , until <Time at={not_after} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** One agent: its identity, its limits and its recent requests. */
export function AgentPage() {
  const { name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/agents/$id" });
  const mayAct = useMay("owner");
  const query = useQuery({
    queryKey: ["agents", path, id],
    queryFn: () => call<Agent>("GET", `${path}/agents/${encodeURIComponent(id)}`),
  });
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingPage />;
  const agent = query.data;
  const claimed = agent.source === "self" ? " (self-reported)" : "";
  return (
    <Page title={agent.name} actions={mayAct ? <Steps agent={agent} /> : undefined}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Agent">
          <Facts
            rows={[
              ["Name", `${agent.name}${claimed}`],
              ["State", <Badge key="state" word={agentState(agent)} />],
              ["Contact", agent.contact],
              ["Operator", agent.operator_url],
              [
                "Key published at",
                agent.key_source && `${agent.key_source.url} (${agent.key_source.type})`,
              ],
              ["Requested scopes", agent.requested_scopes.map(scopeText).join(", ")],
              ["Scopes", agent.scopes?.map(scopeText).join(", ") ?? "Everything your rules allow"],
              ["Tags", agent.tags.join(", ")],
              ["Registered", <Time key="since" at={agent.created_at} />],
              [
                "Deleted unless approved by",
                agent.expires_at && <Time key="until" at={agent.expires_at} />,
              ],
              ["Agent ID", <Id key="id" value={agent.agent_id} label="agent ID" />],
            ]}
          />
        </Card>
        <Keys agent={agent} />
        <Card title="Recent requests">
          <AgentHistory agentId={agent.agent_id} but="" />
          <Link
            to="/$site/decisions"
            params={{ site: name }}
            search={{ agent_id: agent.agent_id }}
            className="link text-sm"
          >
            Show all its requests
          </Link>
        </Card>
        {mayAct && <AgentLimits agent={agent} />}
      </div>
    </Page>
  );
}

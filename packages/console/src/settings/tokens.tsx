import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Snippet } from "../ui/id.js";
import { type Column, ListView } from "../ui/list-view.js";
import { Notice } from "../ui/notice.js";
import { Card, Empty } from "../ui/page.js";
import { ShortTime } from "../ui/time.js";
import { titleOf } from "../ui/words.js";

/** A token of a program, or of a worker that reports visits. */
interface AnyToken {
  readonly token_id: string;
  readonly name: string;
  readonly role?: string;
  readonly created_at: string;
  /** Absent for a worker's token, which does not expire. */
  readonly expires_at?: string | null;
  readonly revoked_at: string | null;
}

const ROLES = {
  reviewer: "Reviewer: decides reviews",
  auditor: "Auditor: can only read",
  owner: "Owner: can change everything at this site",
  edge: "Edge: a worker or plugin that reports visits",
} as const;
const NAME_CHARS_MAX = 80;

/** How long a token works, in days. */
const LIVES = { "30": "30 days", "90": "90 days", "365": "365 days", never: "No expiry" } as const;

function NewToken() {
  const { path } = useSite();
  const draft = useDraft({ name: "", role: "reviewer", life: "90" }, { keep: "token" });
  const { name, role, life } = draft.value;
  const make = useSave(() => {
    const expiry = life === "never" ? {} : { expires_in_days: Number(life) };
    const [kind, body] =
      role === "edge" ? ["edge-tokens", { name }] : ["tokens", { name, role, ...expiry }];
    return call<Pick<Api["IssuedToken"], "token">>("POST", `${path}/${kind}`, body);
  }, "tokens");
  return (
    <Card title="Create a token">
      <Form
        of={make}
        onSubmit={() => make.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="grid items-end gap-3 sm:grid-cols-2"
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={NAME_CHARS_MAX}
          placeholder="Warehouse script"
          value={name}
          onChange={({ target }) => draft.set({ name: target.value })}
        />
        <Select
          label="Role"
          value={role}
          choices={ROLES}
          onChoose={(chosen) => draft.set({ role: chosen })}
        />
        {role !== "edge" && (
          <Select
            label="Expires after"
            name="expires_in_days"
            value={life}
            choices={LIVES}
            onChoose={(chosen) => draft.set({ life: chosen })}
          />
        )}
        <Button type="submit" kind="act" className="justify-self-start" disabled={make.isPending}>
          Create
        </Button>
      </Form>
      {make.data !== undefined && (
        <>
          <Notice>Copy it now. It is not shown again.</Notice>
          <Snippet label="token" text={make.data.token} />
        </>
      )}
    </Card>
  );
}

function Revoke({ token }: { readonly token: AnyToken }) {
  const [descendants, setDescendants] = useState(false);
  const revoke = useSave(() => {
    const path = `/v1/admin/tokens/${encodeURIComponent(token.token_id)}`;
    return call("DELETE", `${path}?descendants=${descendants}`);
  }, "tokens");
  return (
    <Confirm
      label="Revoke"
      title={`Revoke the token ${token.name}?`}
      yes="Revoke"
      danger
      onYes={() => revoke.mutateAsync()}
    >
      <p>It stops working immediately. Everybody who is signed in with it is signed out.</p>
      {token.role !== undefined && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={descendants}
            onChange={({ target }) => setDescendants(target.checked)}
          />
          Also revoke all tokens that were created with it
        </label>
      )}
    </Confirm>
  );
}

function State({ token }: { readonly token: AnyToken }) {
  const { expires_at = null, revoked_at } = token;
  if (revoked_at !== null) return <Badge word="revoked" />;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return <Badge word="expired" />;
  return <Revoke token={token} />;
}

const COLUMNS: readonly Column<AnyToken>[] = [
  { head: "Name", cell: ({ name }) => name },
  { head: "Role", narrow: "state", cell: ({ role = "edge" }) => titleOf(role) },
  { head: "Created", narrow: "time", cell: ({ created_at }) => <ShortTime at={created_at} /> },
  {
    head: "Expires",
    cell: ({ expires_at = null }) =>
      expires_at === null ? "Never" : <ShortTime at={expires_at} />,
  },
  { head: "State", cell: (token) => <State token={token} /> },
];

/** The tokens of a site and their roles. */
export function TokensPart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const people = useList<AnyToken>("tokens", `${path}/tokens`, {});
  const edges = useList<AnyToken>("tokens", `${path}/edge-tokens`, {});
  if (!mayChange) return <Empty title="Only for owners">Ask an owner to create tokens.</Empty>;
  return (
    <div className="flex flex-col gap-4">
      <NewToken />
      <ListView
        list={people}
        columns={COLUMNS}
        label="Tokens"
        keyOf={({ token_id }) => token_id}
        empty={
          <Empty
            title="No tokens for this site"
            example="Warehouse script · Reviewer · expires in 90 days"
          >
            <p>Tokens are for programs. Invite people under People instead.</p>
          </Empty>
        }
      />
      {(edges.data?.length ?? 0) > 0 && (
        <ListView
          list={edges}
          columns={COLUMNS}
          label="Tokens of workers and plugins"
          keyOf={({ token_id }) => token_id}
          empty={null}
        />
      )}
    </div>
  );
}

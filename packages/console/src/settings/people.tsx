import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Snippet } from "../ui/id.js";
import { type Column, ListView } from "../ui/list-view.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Empty } from "../ui/page.js";
import { Time } from "../ui/time.js";

type Person = Api["Person"];
type Link = Api["PersonLink"];

const ROLES = {
  reviewer: "Reviewer: decides reviews",
  auditor: "Auditor: can only read",
  owner: "Owner: can change everything at this site",
} as const;
const NAME_CHARS_MAX = 80;

/** The result of an invitation: it was sent by email, or there is a link to share. */
function Invitation({ name, link }: { readonly name: string; readonly link: Link | undefined }) {
  if (link === undefined) return <Notice>{name} can sign in and now has access.</Notice>;
  if (link.url === undefined && link.mail_problem === undefined) {
    return <Notice>We sent an invitation to {name}.</Notice>;
  }
  return (
    <>
      {link.mail_problem !== undefined && (
        <Notice bad>The email could not be sent: {link.mail_problem}.</Notice>
      )}
      {link.url !== undefined && (
        <>
          <Notice>
            Send this link to {name}. It works once within 7 days and is not shown again.
          </Notice>
          <Snippet label="link" text={link.url} />
        </>
      )}
    </>
  );
}

function Invite() {
  const { path } = useSite();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<string>("reviewer");
  const invite = useSave(() => {
    const body = { name, role, ...(email.trim() === "" ? {} : { email: email.trim() }) };
    return call<Api["InvitedPerson"]>("POST", `${path}/people`, body);
  }, "people");
  return (
    <Card title="Invite a person">
      <Form onSubmit={() => invite.mutate()} className="grid items-start gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Email"
          type="email"
          hint="Leave it empty to share the link yourself."
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <Select label="Role" value={role} choices={ROLES} onChoose={setRole} />
        <Button
          type="submit"
          kind="act"
          className="self-end justify-self-start"
          disabled={invite.isPending}
        >
          Send invite
        </Button>
      </Form>
      {invite.isError && <Failure error={invite.error} />}
      {invite.data !== undefined && <Invitation name={invite.data.name} link={invite.data.link} />}
    </Card>
  );
}

function Actions({ person }: { readonly person: Person }) {
  const { path } = useSite();
  const own = `/v1/admin/people/${person.person_id}`;
  const remove = useSave(() => call("DELETE", `${path}/people/${person.person_id}`), "people");
  const renew = useSave(
    (reset: boolean) => call<Link>("POST", `${own}/links`, { reset }),
    "people",
  );
  if (person.role === "operator") return <span className="text-soft">Operator</span>;
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">
        <Button disabled={renew.isPending} onClick={() => renew.mutate(false)}>
          New link
        </Button>
        <Confirm
          label="Remove"
          title={`Remove ${person.name}?`}
          yes="Remove"
          danger
          onYes={() => remove.mutateAsync()}
        >
          <p>{person.name} loses access to this site immediately. Past decisions are kept.</p>
        </Confirm>
      </div>
      {renew.isError && <Failure error={renew.error} />}
      {renew.data !== undefined && <Invitation name={person.name} link={renew.data} />}
    </div>
  );
}

function RoleOf({ person }: { readonly person: Person }) {
  const { path } = useSite();
  const change = useSave(
    (role: string) => call("PUT", `${path}/people/${person.person_id}/role`, { role }),
    "people",
  );
  if (person.role === "operator") return "Operator";
  return (
    <>
      <Select
        label={`Role of ${person.name}`}
        value={person.role ?? "auditor"}
        choices={{ owner: "Owner", reviewer: "Reviewer", auditor: "Auditor" }}
        disabled={change.isPending}
        onChoose={(role) => change.mutate(role)}
      />
      {change.isError && <Failure error={change.error} />}
    </>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  {
    head: "Name",
    cell: ({ name, email, status }) => (
      <>
        {name} {status === "invited" && <Badge word="invited" look="warn" />}
        {email !== null && <span className="block text-xs text-soft">{email}</span>}
      </>
    ),
  },
  { head: "Role", cell: (person) => <RoleOf person={person} /> },
  {
    head: "Joined",
    cell: ({ joined_at }) => (joined_at === null ? "Not yet" : <Time at={joined_at} />),
  },
  { head: "Access", cell: (person) => <Actions person={person} /> },
];

/** Who can sign in for this site, and what they can do. */
export function PeoplePart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const people = useList<Person>("people", `${path}/people`, {});
  if (!mayChange) return <Empty title="Only for owners">Ask an owner to invite people.</Empty>;
  return (
    <div className="flex flex-col gap-4">
      <Invite />
      <ListView
        {...{ list: people, columns: COLUMNS, label: "People" }}
        keyOf={({ person_id }) => person_id}
        empty={
          <Empty title="No people yet">
            <p>Invite yourself and your team, so that everybody has their own sign-in.</p>
          </Empty>
        }
      />
    </div>
  );
}

import { type Api, call } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { type Column, ListView } from "../ui/list-view.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Empty } from "../ui/page.js";
import { ShortTime } from "../ui/time.js";
import { Invitation } from "./invitation.js";
import { PersonActions } from "./person-actions.js";

type Person = Api["Person"];

const ROLES = {
  reviewer: "Reviewer: decides reviews",
  auditor: "Auditor: can only read",
  owner: "Owner: can change everything at this site",
} as const;
const NAME_CHARS_MAX = 80;

function Invite() {
  const { path } = useSite();
  const draft = useDraft({ name: "", email: "", role: "reviewer" }, { keep: "invite" });
  const { name, email, role } = draft.value;
  const invite = useSave(() => {
    const body = { name, role, ...(email.trim() === "" ? {} : { email: email.trim() }) };
    return call<Api["InvitedPerson"]>("POST", `${path}/people`, body);
  }, "people");
  return (
    <Card title="Invite a person">
      <Form
        of={invite}
        onSubmit={() => invite.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="grid items-start gap-3 sm:grid-cols-2"
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => draft.set({ name: target.value })}
        />
        <TextField
          label="Email"
          name="email"
          type="email"
          hint="Leave it empty to share the link yourself."
          value={email}
          onChange={({ target }) => draft.set({ email: target.value })}
        />
        <Select
          label="Role"
          name="role"
          value={role}
          choices={ROLES}
          onChoose={(chosen) => draft.set({ role: chosen })}
        />
        <Button
          type="submit"
          kind="act"
          className="self-end justify-self-start"
          disabled={invite.isPending}
        >
          Send invite
        </Button>
      </Form>
      {invite.data !== undefined && <Invitation name={invite.data.name} link={invite.data.link} />}
    </Card>
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
    <div className="[&_label]:sr-only">
      <Select
        label={`Role of ${person.name}`}
        value={person.role ?? "auditor"}
        choices={{ owner: "Owner", reviewer: "Reviewer", auditor: "Auditor" }}
        disabled={change.isPending}
        onChoose={(role) => change.mutate(role)}
      />
      {change.isError && <Failure error={change.error} />}
    </div>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  {
    head: "Name",
    cell: ({ name, email, status, passkeys_unusable }) => (
      <>
        <span className="wrap-anywhere">{name}</span>{" "}
        {status === "invited" && <Badge word="invited" look="warn" />}
        {passkeys_unusable === true && <Badge word="passkey_unusable" look="warn" />}
        {email !== null && <span className="block text-xs text-soft wrap-anywhere">{email}</span>}
      </>
    ),
  },
  { head: "Role", cell: (person) => <RoleOf person={person} /> },
  {
    head: "Joined",
    cell: ({ joined_at }) => (joined_at === null ? "Not yet" : <ShortTime at={joined_at} />),
  },
  { head: "Access", cell: (person) => <PersonActions person={person} /> },
];

/** Tells of people whose passkeys belong to a host that the service had before. */
function StrandedNotice({ people }: { readonly people: readonly Person[] }) {
  const { length } = people.filter(({ passkeys_unusable }) => passkeys_unusable === true);
  if (length === 0) return null;
  const title =
    length === 1
      ? "The passkey of 1 person no longer works"
      : `The passkeys of ${length} people no longer work`;
  return (
    <Notice bad>
      {title}, because the address of the service has changed. Send them a new link. They sign in
      with it and add a passkey again.
    </Notice>
  );
}

/** Who can sign in for this site, and what they can do. */
export function PeoplePart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const people = useList<Person>("people", `${path}/people`, {});
  if (!mayChange) return <Empty title="Only for owners">Ask an owner to invite people.</Empty>;
  return (
    <div className="flex flex-col gap-4">
      <Invite />
      <StrandedNotice people={people.data ?? []} />
      <ListView
        list={people}
        columns={COLUMNS}
        label="People"
        keyOf={({ person_id }) => person_id}
        empty={
          <Empty title="No people yet" example="Ada · Reviewer: decides reviews · joined today">
            <p>Invite yourself and your team, so that everybody has their own sign-in.</p>
          </Empty>
        }
      />
    </div>
  );
}

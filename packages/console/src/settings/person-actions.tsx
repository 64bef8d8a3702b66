import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { sessionQuery } from "../session/session.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Failure } from "../ui/notice.js";
import { Invitation } from "./invitation.js";
import { PersonSessions } from "./person-sessions.js";

type Person = Api["Person"];

/** What the reader can do about the access of a person. Only operators change operators. */
export function PersonActions({ person }: { readonly person: Person }) {
  const { path } = useSite();
  const { data: session } = useQuery(sessionQuery);
  const isOperator = useMay("operator");
  const own = `/v1/admin/people/${person.person_id}`;
  const remove = useSave(() => call("DELETE", `${path}/people/${person.person_id}`), "people");
  const renew = useSave(
    (reset: boolean) => call<Api["PersonLink"]>("POST", `${own}/links`, { reset }),
    "people",
  );
  const isEverywhere = person.role === "operator";
  if (isEverywhere && !isOperator) return <span className="text-soft">Operator</span>;
  const isSelf = session?.token_id === person.person_id;
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">
        <Button disabled={renew.isPending} onClick={() => renew.mutate(false)}>
          New link
        </Button>
        {person.status === "joined" && <PersonSessions id={person.person_id} name={person.name} />}
        {!isSelf && person.status === "joined" && (
          <Confirm
            label="Lost device"
            title={`Reset the sign-in of ${person.name}?`}
            yes="Reset sign-in"
            danger
            onYes={() => renew.mutateAsync(true)}
          >
            <p>
              {person.name} is signed out everywhere and loses all passkeys. A new link lets{" "}
              {person.name} sign in again.
            </p>
          </Confirm>
        )}
        {!isEverywhere && (
          <Confirm
            label="Remove"
            title={`Remove ${person.name}?`}
            yes="Remove"
            danger
            onYes={() => remove.mutateAsync()}
          >
            <p>{person.name} loses access to this site immediately. Past decisions are kept.</p>
          </Confirm>
        )}
      </div>
      {renew.isError && <Failure error={renew.error} />}
      {renew.data !== undefined && (
        <Invitation name={person.name} link={renew.data} joined={person.status === "joined"} />
      )}
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { ShortTime } from "../ui/time.js";

type Session = Api["PersonSession"];

function SessionList({ personId }: { readonly personId: string }) {
  const path = `/v1/admin/people/${personId}/sessions`;
  const sessions = useQuery({
    queryKey: ["people", personId, "sessions"],
    queryFn: () => call<{ readonly items: readonly Session[] }>("GET", path),
  });
  const end = useSave((id: string) => call("DELETE", `${path}/${id}`), "people");
  if (sessions.isError) return <Failure error={sessions.error} />;
  if (!sessions.isSuccess) return <Loading />;
  if (sessions.data.items.length === 0) return <p className="text-sm">Not signed in anywhere.</p>;
  return (
    <>
      <ul className="flex flex-col gap-2 text-left text-sm">
        {sessions.data.items.map(({ session_id, device, created_at, last_used_at }) => (
          <li key={session_id} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 flex-1">
              {device}
              <span className="block text-xs text-soft">
                Signed in <ShortTime at={created_at} />, last used{" "}
                {last_used_at === null ? "never" : <ShortTime at={last_used_at} />}
              </span>
            </span>
            <Button disabled={end.isPending} onClick={() => end.mutate(session_id)}>
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      {end.isError && <Failure error={end.error} />}
    </>
  );
}

/** A button that shows where a colleague is signed in. */
export function PersonSessions({ id, name }: { readonly id: string; readonly name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Sessions</Button>
      <Dialog open={open} title={`Where ${name} is signed in`} onClose={() => setOpen(false)}>
        <div className="flex flex-col gap-4">{open && <SessionList personId={id} />}</div>
      </Dialog>
    </>
  );
}

import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Confirm } from "../ui/confirm.js";

/** Rejects every agent that waits: strangers may have filled the list. */
export function RejectPending() {
  const { path } = useSite();
  const mayReject = useMay("owner");
  const reject = useSave(() => call("POST", `${path}/pending-agents/reject`, {}), "agents");
  if (!mayReject) return null;
  return (
    <Confirm
      label="Reject all pending"
      title="Reject all pending agents?"
      yes="Reject all"
      danger
      onYes={() => reject.mutateAsync()}
    >
      <p>
        Up to 200 agents that wait for you are rejected, the oldest first. You can still approve one
        of them for 90 days.
      </p>
    </Confirm>
  );
}

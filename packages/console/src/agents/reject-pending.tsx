import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Confirm } from "../ui/confirm.js";

/** Declines every waiting agent, for lists that strangers have filled. */
export function RejectPending() {
  const { path } = useSite();
  const mayReject = useMay("owner");
  const reject = useSave(() => call("POST", `${path}/pending-agents/reject`, {}), "agents");
  if (!mayReject) return null;
  return (
    <Confirm
      label="Decline all waiting"
      title="Decline all waiting agents?"
      yes="Decline all"
      danger
      onYes={() => reject.mutateAsync()}
    >
      <p>
        This declines up to 200 waiting agents, oldest first. You can change your mind and approve
        any of them within 90 days.
      </p>
    </Confirm>
  );
}

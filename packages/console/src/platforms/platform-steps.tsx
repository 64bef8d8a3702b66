import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";
import { notify } from "../ui/toast.js";

type Decided = "admitted" | "suspended";

const DONE: Readonly<Record<Decided, string>> = {
  admitted: "Platform admitted.",
  suspended: "Platform suspended. It cannot buy until you admit it again.",
};

/** What an owner can do with a platform. It needs no confirmation, because it can be undone. */
export function PlatformSteps({ platform }: { readonly platform: Api["Platform"] }) {
  const { path } = useSite();
  const at = `${path}/platforms/${encodeURIComponent(platform.platform)}`;
  const set = useSave((status: Decided) => call("PUT", at, { status }), "platforms");
  // One that was never decided on can only be admitted or suspended.
  const before = platform.status === "seen" ? undefined : platform.status;
  const to = (status: Decided) =>
    set.mutate(status, {
      onSuccess: () => notify(DONE[status], before && (() => set.mutateAsync(before))),
    });
  return (
    <span className="flex flex-wrap gap-2">
      {platform.status !== "admitted" && (
        <Button disabled={set.isPending} onClick={() => to("admitted")}>
          Admit
        </Button>
      )}
      {platform.status !== "suspended" && (
        <Button kind="danger" disabled={set.isPending} onClick={() => to("suspended")}>
          Suspend
        </Button>
      )}
      {set.isError && <Failure error={set.error} />}
    </span>
  );
}

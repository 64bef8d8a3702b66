import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Failure } from "../ui/notice.js";

/** What an owner can do with a platform. Admitting needs no confirmation, because it can be undone. */
export function PlatformSteps({ platform }: { readonly platform: Api["Platform"] }) {
  const { path } = useSite();
  const at = `${path}/platforms/${encodeURIComponent(platform.platform)}`;
  const admit = useSave(() => call("PUT", at, { status: "admitted" }), "platforms");
  // The dialog shows its own error.
  const suspend = useSave(() => call("PUT", at, { status: "suspended" }), "platforms");
  return (
    <span className="flex flex-wrap gap-2">
      {platform.status !== "admitted" && (
        <Button disabled={admit.isPending} onClick={() => admit.mutate()}>
          Admit
        </Button>
      )}
      {platform.status !== "suspended" && (
        <Confirm
          label="Suspend"
          title={`Suspend ${platform.platform}?`}
          yes="Suspend"
          danger
          onYes={() => suspend.mutateAsync()}
        >
          <p>It cannot buy until you admit it again. Existing orders do not change.</p>
        </Confirm>
      )}
      {admit.isError && <Failure error={admit.error} />}
    </span>
  );
}

import { useSave } from "../api/save.js";
import { addPasskey } from "../session/passkey.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";

/** The name of this device in the list of passkeys. */
function deviceName(): string {
  const { platform } = navigator;
  return platform === "" ? "This device" : platform;
}

/** A button that creates a passkey on this device. */
export function AddPasskey({ onAdded }: { onAdded?(): void }) {
  const add = useSave(async () => {
    await addPasskey(deviceName());
    onAdded?.();
  }, "account");
  return (
    <>
      <Button kind="act" disabled={add.isPending} onClick={() => add.mutate()}>
        Add a passkey
      </Button>
      {add.isError && <Failure error={add.error} />}
    </>
  );
}

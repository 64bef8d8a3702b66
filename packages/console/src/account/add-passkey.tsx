import { useSave } from "../api/save.js";
import { addPasskey } from "../session/passkey.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";

/** The name of this device in the list of passkeys. */
function deviceName(): string {
  const { platform } = navigator;
  return platform === "" ? "This device" : platform;
}

interface Props {
  /** Whether it is the primary button of the page. */
  readonly isMain?: boolean;
  onAdded?(): void;
}

/** A button that creates a passkey on this device. */
export function AddPasskey({ isMain = true, onAdded }: Props) {
  const add = useSave(async () => {
    await addPasskey(deviceName());
    onAdded?.();
  }, "account");
  return (
    <>
      <Button kind={isMain ? "act" : "plain"} disabled={add.isPending} onClick={() => add.mutate()}>
        Add a passkey
      </Button>
      {add.isError && <Failure error={add.error} />}
    </>
  );
}

import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";

const NAME_CHARS_MAX = 80;
const WORDING = { platform: "Enter a domain such as platform.example." };

/** Admits a platform before it has called. */
export function AddPlatform({ onClose }: { onClose(): void }) {
  const { path } = useSite();
  const draft = useDraft({ platform: "", name: "" }, { keep: "platform" });
  const { platform, name } = draft.value;
  const add = useSave(() => {
    const body = { status: "admitted", ...(name.trim() === "" ? {} : { name: name.trim() }) };
    return call("PUT", `${path}/platforms/${encodeURIComponent(platform.trim())}`, body);
  }, "platforms");
  return (
    <Card title="Admit a platform">
      <Form
        of={add}
        wording={WORDING}
        done="Platform admitted."
        onSubmit={() =>
          add.mutate(undefined, {
            onSuccess: () => {
              draft.discard();
              onClose();
            },
          })
        }
        className="grid gap-3 sm:grid-cols-2"
      >
        <TextField
          label="Domain"
          name="platform"
          required
          placeholder="platform.example"
          hint="The domain of its profile. Enter a subdomain to admit only that one."
          value={platform}
          onChange={({ target }) => draft.set({ platform: target.value })}
        />
        <TextField
          label="Name (optional)"
          name="name"
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => draft.set({ name: target.value })}
        />
        <div className="flex gap-2 sm:col-span-2">
          <Button type="submit" kind="act" disabled={add.isPending}>
            Admit platform
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Card>
  );
}

import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { wordsIn } from "../ui/words.js";

const WORDING = {
  lifetime_seconds: "Enter a number of minutes, such as 10.",
  auto_admit: "Enter https:// addresses, separated by spaces.",
};

/** How agents register, and how long their signed requests are valid. */
export function MandateForm({ saved }: { readonly saved: Api["MandateSettings"] }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const draft = useDraft(
    {
      enabled: saved.enabled,
      minutes: String(saved.lifetime_seconds / 60),
      admit: saved.auto_admit.join(" "),
    },
    { keep: "mandates" },
  );
  const { enabled, minutes, admit } = draft.value;
  const save = useSave(
    () =>
      call("PATCH", `${path}/mandates`, {
        enabled,
        lifetime_seconds: Math.round(Number(minutes) * 60),
        auto_admit: wordsIn(admit),
      }),
    "mandates",
  );
  return (
    <Card title="Signed requests">
      <Form
        of={save}
        wording={WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <fieldset disabled={!mayChange} className="flex flex-col gap-3">
          <legend className="sr-only">Signed requests</legend>
          <Checkbox
            label="Let agents register and send signed requests"
            checked={enabled}
            onChange={({ target }) => draft.set({ enabled: target.checked })}
          />
          <TextField
            label="How long a request stays valid, at most (minutes)"
            name="lifetime_seconds"
            inputMode="numeric"
            value={minutes}
            onChange={({ target }) => draft.set({ minutes: target.value })}
          />
          <TextField
            label="Automatically approve agents from these domains"
            name="auto_admit"
            placeholder="https://agents.example.com"
            hint="Enter https:// addresses, separated by spaces. Agents whose key is published there need no approval."
            value={admit}
            onChange={({ target }) => draft.set({ admit: target.value })}
          />
          <SaveRow draft={draft} busy={save.isPending} />
        </fieldset>
      </Form>
    </Card>
  );
}

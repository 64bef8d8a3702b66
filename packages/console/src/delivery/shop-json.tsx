import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { TextArea } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Unfit } from "../ui/problems.js";

type Shop = Api["ShopSettings"];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unfit("json", "This is not valid JSON.");
  }
}

export function ShopJson({ saved }: { readonly saved: Shop }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const draft = useDraft({ text: JSON.stringify(saved, null, 2) }, { keep: "json" });
  const { text } = draft.value;
  const save = useSave(async () => call("PUT", `${path}/shop`, parsed(text)), "shop");
  return (
    <Form
      of={save}
      done="Saved."
      onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      className="flex flex-col gap-3"
    >
      <TextArea
        code
        label="Shop settings (JSON)"
        name="json"
        hint="Used by carts and checkouts. The guide “Sell” explains each setting."
        rows={14}
        spellCheck={false}
        readOnly={!mayChange}
        value={text}
        onChange={({ target }) => draft.set({ text: target.value })}
      />
      {mayChange && (
        <Button type="submit" className="self-start" disabled={save.isPending}>
          Save shop settings
        </Button>
      )}
    </Form>
  );
}

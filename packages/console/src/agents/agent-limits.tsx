import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { wordsIn } from "../ui/words.js";

export const LIMITS_WORDING = {
  tags: "Use letters, digits, . _ and -, with spaces between tags.",
  scopes: "Enter scopes such as skill:place_order, with spaces between them.",
};

/** The tags and scopes of an agent. */
export function AgentLimits({ agent }: { readonly agent: Api["Agent"] }) {
  const { path } = useSite();
  const draft = useDraft(
    { tags: agent.tags.join(" "), scopes: (agent.scopes ?? []).join(" ") },
    { keep: "limits" },
  );
  const { tags, scopes } = draft.value;
  const save = useSave(() => {
    const scopeList = wordsIn(scopes);
    const body = { tags: wordsIn(tags), scopes: scopeList.length === 0 ? null : scopeList };
    return call("PATCH", `${path}/agents/${encodeURIComponent(agent.agent_id)}`, body);
  }, "agents");
  return (
    <Card title="Tags and scopes">
      <Form
        of={save}
        wording={LIMITS_WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="flex flex-col gap-3"
      >
        <TextField
          label="Tags"
          name="tags"
          value={tags}
          onChange={({ target }) => draft.set({ tags: target.value })}
          hint="Your rules can refer to tags, for example to trust agents tagged “trusted”."
        />
        <TextField
          label="Scopes"
          name="scopes"
          value={scopes}
          onChange={({ target }) => draft.set({ scopes: target.value })}
          hint="What the agent can ask for, such as skill:place_order. Leave it empty to allow everything your rules allow."
        />
        <SaveRow draft={draft} busy={save.isPending} />
      </Form>
    </Card>
  );
}

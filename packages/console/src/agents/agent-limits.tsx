import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Outcome } from "../ui/outcome.js";
import { Card } from "../ui/page.js";
import { wordsIn } from "../ui/words.js";

/** The tags and scopes of an agent. */
export function AgentLimits({ agent }: { readonly agent: Api["Agent"] }) {
  const { path } = useSite();
  const [tags, setTags] = useState(agent.tags.join(" "));
  const [scopes, setScopes] = useState((agent.scopes ?? []).join(" "));
  const save = useSave(() => {
    const asked = wordsIn(scopes);
    const body = { tags: wordsIn(tags), scopes: asked.length === 0 ? null : asked };
    return call("PATCH", `${path}/agents/${encodeURIComponent(agent.agent_id)}`, body);
  }, "agents");
  return (
    <Card title="Tags and scopes">
      <Form onSubmit={() => save.mutate()} className="flex flex-col gap-3">
        <TextField
          label="Tags"
          value={tags}
          onChange={({ target }) => setTags(target.value)}
          hint="Your rules can refer to tags, for example to trust agents tagged “trusted”."
        />
        <TextField
          label="Scopes"
          value={scopes}
          onChange={({ target }) => setScopes(target.value)}
          hint="What the agent can ask for, such as skill:place_order. Leave it empty to allow everything your rules allow."
        />
        <Button type="submit" className="self-start">
          Save
        </Button>
        <Outcome of={save} />
      </Form>
    </Card>
  );
}

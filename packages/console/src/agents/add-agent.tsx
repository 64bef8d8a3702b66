import { useNavigate } from "@tanstack/react-router";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { TextArea, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { Unfit } from "../ui/problems.js";
import { notify } from "../ui/toast.js";
import { wordsIn } from "../ui/words.js";
import { LIMITS_WORDING } from "./agent-limits.js";

const NAME_CHARS_MAX = 80;
const WORDING = {
  ...LIMITS_WORDING,
  name: "Enter a name.",
  jwk: "Paste the agent's public key as a JWK.",
};

function keyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unfit("jwk", WORDING.jwk);
  }
}

/** Adds an agent by its public key. */
export function AddAgent({ onClose }: { onClose(): void }) {
  const { path, name: site } = useSite();
  const navigate = useNavigate();
  const draft = useDraft(
    { name: "", jwk: "", tags: "", scopes: "" },
    { keep: "agent", secret: ["jwk"] },
  );
  const { name, jwk, tags, scopes } = draft.value;
  const add = useSave(async () => {
    const scopeList = wordsIn(scopes);
    const body = {
      name: name.trim(),
      jwk: keyOf(jwk),
      tags: wordsIn(tags),
      ...(scopeList.length === 0 ? {} : { scopes: scopeList }),
    };
    return call<{ agent_id: string }>("POST", `${path}/agents`, body);
  }, "agents");
  function submit() {
    add.mutate(undefined, {
      onSuccess: ({ agent_id: id }) => {
        draft.discard();
        notify("Agent added.");
        void navigate({ to: "/$site/agents/$id", params: { site, id } });
      },
    });
  }
  return (
    <Card title="Add an agent">
      <Form of={add} wording={WORDING} onSubmit={submit} className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => draft.set({ name: target.value })}
        />
        <TextField
          label="Tags (optional)"
          name="tags"
          placeholder="partner trusted"
          hint="Your rules can refer to tags."
          value={tags}
          onChange={({ target }) => draft.set({ tags: target.value })}
        />
        <TextField
          label="Scopes (optional)"
          name="scopes"
          placeholder="skill:place_order currency:EUR"
          hint="What the agent can ask for. Leave it empty to allow everything your rules allow."
          value={scopes}
          onChange={({ target }) => draft.set({ scopes: target.value })}
        />
        <div className="sm:col-span-2">
          <TextArea
            code
            label="Public key (JWK)"
            name="jwk"
            required
            rows={4}
            placeholder='{"kty":"OKP","crv":"Ed25519","x":"…"}'
            value={jwk}
            onChange={({ target }) => draft.set({ jwk: target.value })}
          />
        </div>
        <div className="flex gap-2 sm:col-span-2">
          <Button type="submit" kind="act">
            Add agent
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Card>
  );
}

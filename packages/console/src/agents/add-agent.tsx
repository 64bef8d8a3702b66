import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextArea, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { wordsIn } from "../ui/words.js";

const NAME_CHARS_MAX = 80;

function keyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This is not a valid key. Paste the agent's public key as a JWK.");
  }
}

/** Adds an agent by its public key. */
export function AddAgent() {
  const { path, name: site } = useSite();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [jwk, setJwk] = useState("");
  const [tags, setTags] = useState("");
  const [scopes, setScopes] = useState("");
  const add = useSave(async () => {
    const asked = wordsIn(scopes);
    const body = {
      name: name.trim(),
      jwk: keyOf(jwk),
      tags: wordsIn(tags),
      ...(asked.length === 0 ? {} : { scopes: asked }),
    };
    return call<{ agent_id: string }>("POST", `${path}/agents`, body);
  }, "agents");
  function submit() {
    add.mutate(undefined, {
      onSuccess: ({ agent_id: id }) =>
        void navigate({ to: "/$site/agents/$id", params: { site, id } }),
    });
  }
  return (
    <Card title="Add an agent">
      <Form onSubmit={submit} className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Tags (optional)"
          placeholder="partner trusted"
          hint="Your rules can refer to tags."
          value={tags}
          onChange={({ target }) => setTags(target.value)}
        />
        <TextField
          label="Scopes (optional)"
          placeholder="skill:place_order currency:EUR"
          hint="What the agent can ask for. Leave it empty to allow everything your rules allow."
          value={scopes}
          onChange={({ target }) => setScopes(target.value)}
        />
        <div className="sm:col-span-2">
          <TextArea
            code
            label="Public key (JWK)"
            required
            rows={4}
            placeholder='{"kty":"OKP","crv":"Ed25519","x":"…"}'
            value={jwk}
            onChange={({ target }) => setJwk(target.value)}
          />
        </div>
        <div className="flex flex-col gap-3 sm:col-span-2">
          <Button type="submit" kind="act" className="self-start">
            Add agent
          </Button>
          {add.isError && <Failure error={add.error} />}
        </div>
      </Form>
    </Card>
  );
}

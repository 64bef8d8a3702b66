import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Outcome } from "../ui/outcome.js";
import { Card } from "../ui/page.js";

const NAME_CHARS_MAX = 80;

/** Admits a platform before it has called. */
export function AddPlatform() {
  const { path } = useSite();
  const [platform, setPlatform] = useState("");
  const [name, setName] = useState("");
  const add = useSave(() => {
    const body = { status: "admitted", ...(name.trim() === "" ? {} : { name: name.trim() }) };
    return call("PUT", `${path}/platforms/${encodeURIComponent(platform.trim())}`, body);
  }, "platforms");
  return (
    <Card title="Admit a platform">
      <Form onSubmit={() => add.mutate()} className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Domain"
          required
          placeholder="platform.example"
          hint="The domain of its profile. Enter a subdomain to admit only that one."
          value={platform}
          onChange={({ target }) => setPlatform(target.value)}
        />
        <TextField
          label="Name (optional)"
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <div className="flex flex-col gap-3 sm:col-span-2">
          <Button type="submit" kind="act" className="self-start" disabled={add.isPending}>
            Admit platform
          </Button>
          <Outcome of={add} />
        </div>
      </Form>
    </Card>
  );
}

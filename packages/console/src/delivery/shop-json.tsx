import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextArea } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Outcome } from "../ui/outcome.js";

type Shop = Api["ShopSettings"];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This is not valid JSON.");
  }
}

export function ShopJson({ found }: { readonly found: Shop }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const [text, setText] = useState(JSON.stringify(found, null, 2));
  const save = useSave(async () => call("PUT", `${path}/shop`, parsed(text)), "shop");
  return (
    <Form onSubmit={() => save.mutate()} className="flex flex-col gap-3">
      <TextArea
        code
        label="Shop settings (JSON)"
        hint="Used by carts and checkouts. The guide “Sell” explains each setting."
        rows={14}
        spellCheck={false}
        readOnly={!mayChange}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {mayChange && (
        <Button type="submit" className="self-start" disabled={save.isPending}>
          Save shop settings
        </Button>
      )}
      <Outcome of={save} />
    </Form>
  );
}

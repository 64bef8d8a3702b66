import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";

/** Which page shows what an id names. */
const PAGES = [
  [/^dec_/, "/$site/decisions/$id"],
  [/^esc_/, "/$site/reviews/$id"],
  [/^ord_/, "/$site/orders/$id"],
  [/^agt_/, "/$site/agents/$id"],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "/$site/audit/$id"],
] as const;

/** Agents name their mandates themselves; words do not look so. */
const MANDATE = /^(?=.*\d)[\w-]{16,64}$/;

/** Goes to whatever an id names; other words are looked for among products. */
export function Find({ site }: { readonly site: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  function submit() {
    const words = text.trim();
    if (words === "") return;
    setText("");
    const page = PAGES.find(([form]) => form.test(words));
    if (page !== undefined) void navigate({ to: page[1], params: { site, id: words } });
    else if (MANDATE.test(words)) {
      void navigate({ to: "/$site/decisions", params: { site }, search: { mandate_id: words } });
    } else void navigate({ to: "/$site/products", params: { site }, search: { q: words } });
  }
  return (
    // A search element is not in every browser yet.
    <Form role="search" aria-label="Find anything" onSubmit={submit} className="w-full">
      <TextField
        label="Find"
        type="search"
        placeholder="An id, or a product"
        value={text}
        maxLength={100}
        onChange={({ target }) => setText(target.value)}
      />
    </Form>
  );
}

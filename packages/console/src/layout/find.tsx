import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";

/** The page for each kind of ID. */
const PAGES = [
  [/^dec_/, "/$site/decisions/$id"],
  [/^esc_/, "/$site/reviews/$id"],
  [/^ord_/, "/$site/orders/$id"],
  [/^agt_/, "/$site/agents/$id"],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "/$site/audit/$id"],
] as const;

/** Agents choose the IDs of their requests. Ordinary words do not match this. */
const MANDATE = /^(?=.*\d)[\w-]{16,64}$/;

/** Opens the page of an ID. Other words are searched for in the products. */
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
    // Not every browser has the search element yet.
    <Form role="search" aria-label="Find anything" onSubmit={submit} className="w-full">
      <TextField
        label="Find"
        type="search"
        placeholder="ID or product"
        value={text}
        maxLength={100}
        onChange={({ target }) => setText(target.value)}
      />
    </Form>
  );
}

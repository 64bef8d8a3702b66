import { useState } from "react";
import { Button } from "./button.js";
import { TextField } from "./field.js";
import { Form } from "./form.js";

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder?: string;
  onSearch(words: string | undefined): void;
}

/** A search box. The words become part of the address, so that a link finds the same. */
export function SearchField({ label, value = "", placeholder, onSearch }: Props) {
  const [words, setWords] = useState(value);
  function submit() {
    onSearch(words.trim() || undefined);
  }
  return (
    // Not every browser has the search element yet.
    <Form role="search" aria-label={label} onSubmit={submit} className="flex items-end gap-2">
      <TextField
        label={label}
        type="search"
        maxLength={100}
        value={words}
        placeholder={placeholder}
        onChange={({ target }) => setWords(target.value)}
      />
      <Button type="submit">Search</Button>
    </Form>
  );
}

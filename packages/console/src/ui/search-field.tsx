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

/** Words to look for. They stand in the address once they are sent, so a link finds the same. */
export function SearchField({ label, value = "", placeholder, onSearch }: Props) {
  const [words, setWords] = useState(value);
  function submit() {
    onSearch(words.trim() || undefined);
  }
  return (
    // A search element is not in every browser yet.
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

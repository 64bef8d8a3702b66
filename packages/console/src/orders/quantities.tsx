import { useState } from "react";
import { TextField } from "../ui/field.js";
import type { ShownOrder } from "./orders.js";

type Line = ShownOrder["lines"][number];

/** The items of an order that something applies to. All of them are chosen at first. */
export function useQuantities({ lines }: ShownOrder, leftOf: (line: Line) => number) {
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({});
  const left = lines
    .map((line) => ({ ...line, most: leftOf(line) }))
    .filter(({ most }) => most > 0);
  const amountOf = ({ line_id, most }: (typeof left)[number]) =>
    Math.min(chosen[line_id] ?? most, most);
  /** What is sent to the service: nothing for everything. */
  function body() {
    if (left.every((line) => amountOf(line) === line.most)) return {};
    const some = left.map((line) => ({ id: line.line_id, quantity: amountOf(line) }));
    const line_items = some.filter(({ quantity }) => quantity > 0);
    if (line_items.length === 0) throw new Error("Choose at least one item.");
    return { line_items };
  }
  const [only] = left;
  const isOne = left.length === 1 && only?.most === 1;
  const fields = isOne ? (
    <p>
      <bdi className="font-medium break-words">1 × {only.title}</bdi>
    </p>
  ) : (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">How many</legend>
      {left.map((line) => (
        <TextField
          key={line.line_id}
          label={`${line.title} (of ${line.most})`}
          type="number"
          min={0}
          max={line.most}
          value={amountOf(line)}
          onChange={({ target }) => {
            const count = Math.trunc(Number(target.value));
            const within = Math.min(line.most, Math.max(0, count || 0));
            setChosen({ ...chosen, [line.line_id]: within });
          }}
        />
      ))}
    </fieldset>
  );
  return { isLeft: left.length > 0, fields, body };
}

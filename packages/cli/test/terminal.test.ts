import { expect, test } from "vitest";
import { plainJson, table } from "../src/terminal.ts";

test("columns of a table line up with their headings, in any script", () => {
  const rows = [
    { id: "rose", title: "薔薇の花束", price: "10.00 EUR" },
    { id: "cafe\u0301", title: "Kaffee 🌹", price: "2.50 EUR" },
  ];
  expect(table(rows, "None.").split("\n")).toEqual([
    "ID    TITLE       PRICE",
    "rose  薔薇の花束  10.00 EUR",
    "cafe\u0301  Kaffee 🌹   2.50 EUR",
  ]);
  expect(table([], "None. Add one.")).toBe("None. Add one.");
});

test("text of a stranger cannot control the terminal, not even in JSON", () => {
  expect(table([{ name: "a\u001b[2Jb" }], "")).toBe("NAME\na\ufffd[2Jb");
  const name = "a\u202eb";
  expect(plainJson({ name }, 0)).toBe('{"name":"a\\u202eb"}');
  expect(JSON.parse(plainJson({ name }))).toEqual({ name });
});

import { expect, test } from "vitest";
import { plainJson, table } from "../src/terminal.ts";

test("columns of a table stand below their headings, whatever letters fill them", () => {
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

test("what a stranger wrote steers no terminal, in JSON neither", () => {
  expect(table([{ name: "a\u001b[2Jb" }], "")).toBe("NAME\na\ufffd[2Jb");
  const name = "a\u202eb";
  expect(plainJson({ name }, 0)).toBe('{"name":"a\\u202eb"}');
  expect(JSON.parse(plainJson({ name }))).toEqual({ name });
});

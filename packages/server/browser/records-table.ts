import { type Bundle, type BundleEntry, canonicalize } from "@gatehouse/protocol";
import { make, setAttributes, visible } from "./dom.js";
import { recordWords } from "./record-words.js";

const HEADS = ["Record", "Recorded at", "Type", "What", "Who"];

/** Roles are spelt out: rows are laid out one by one, and would lose them. */
function cell(text: string): HTMLElement {
  const element = make("td", "text", text);
  element.setAttribute("role", "cell");
  return element;
}

function row(className: string, ...cells: readonly HTMLElement[]): HTMLTableRowElement {
  const element = make("tr", className, ...cells);
  element.setAttribute("role", "row");
  return element;
}

/** The record as it was hashed, and what proves it. */
function proof({ record, hash, sig, key_id }: BundleEntry): Node {
  const text = canonicalize(record);
  const shown = visible(text);
  const list = make("dl", "proof");
  for (const [name, value] of [
    ["Hash", hash],
    ["Signature", sig],
    ["Key", key_id],
  ] as const) {
    list.append(make("dt", "", name), make("dd", "", make("code", "", visible(value))));
  }
  const content = make("div", "", make("pre", "", shown), list);
  if (shown !== text) {
    const said =
      "Invisible characters are shown as \\u escapes. The hash covers the characters themselves.";
    content.append(make("p", "", said));
  }
  return content;
}

/** Filled when it is opened: a thousand records of the longest kind are more than a page can hold. */
function details(place: number, entry: BundleEntry): HTMLTableRowElement {
  const element = make("details", "", make("summary", "", `Record ${place} in full`));
  element.addEventListener("toggle", () => element.append(proof(entry)), { once: true });
  const whole = make("td", "", element);
  setAttributes(whole, { role: "cell", colspan: String(HEADS.length) });
  return row("more", whole);
}

/** A record stands where the part puts it, whatever it calls itself. */
function records(entry: BundleEntry, place: number): HTMLTableRowElement[] {
  const seq: unknown = entry.record.seq;
  const said = typeof seq === "number" ? `says it is ${seq}` : "has no number";
  const otherwise = seq === place ? "" : ` (${said})`;
  const head = make("th", "", `${place}${otherwise}`);
  setAttributes(head, { scope: "row", role: "rowheader" });
  const first = row("", head, ...recordWords(entry.record).map(cell));
  first.id = `record-${place}`;
  return [first, details(place, entry)];
}

/** Every record of the part, each with its proof. */
export function recordsTable({ records: entries, first_seq }: Bundle): Node {
  const heads = HEADS.map((text) => {
    const head = make("th", "", text);
    setAttributes(head, { scope: "col", role: "columnheader" });
    return head;
  });
  const title = make("h2", "", "Records");
  title.id = "records";
  if (entries.length === 0) {
    return make("section", "", title, make("p", "", "This part contains no records."));
  }
  const group = make("thead", "", row("", ...heads));
  const body = make("tbody", "");
  for (const part of [group, body]) part.setAttribute("role", "rowgroup");
  for (const [i, entry] of entries.entries()) body.append(...records(entry, first_seq + i));
  const table = make("table", "", group, body);
  setAttributes(table, { role: "table", "aria-labelledby": "records" });
  return make("section", "", title, table);
}

const BAD = "bad";

/** Shows in the table which records do not hold. */
export function markBadRecords(places: readonly (number | null)[]): void {
  for (const old of document.querySelectorAll(`tr.${BAD}`)) old.classList.remove(BAD);
  for (const place of places) {
    if (place !== null) document.getElementById(`record-${place}`)?.classList.add(BAD);
  }
}

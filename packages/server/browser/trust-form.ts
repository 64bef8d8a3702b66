import { type Bundle, verifyCheckpoint } from "@gatehouse/protocol";
import { make, setAttributes, visible } from "./dom.js";
import type { Brought, Given } from "./judge.js";
import { readPastedKey } from "./keys.js";

interface Field {
  readonly element: HTMLElement;
  readonly input: HTMLTextAreaElement;
  complain(fault: string): void;
}

function field(id: string, label: string, hint: string): Field {
  const input = make("textarea", "");
  const error = make("p", "error");
  const note = make("p", "hint", hint);
  const name = make("label", "", label);
  [input.id, error.id, note.id, name.htmlFor] = [id, `${id}-error`, `${id}-hint`, id];
  setAttributes(input, { rows: "4", spellcheck: "false", autocomplete: "off" });
  input.setAttribute("aria-describedby", `${error.id} ${note.id}`);
  const complain = (fault: string) => {
    error.textContent = fault;
    input.setAttribute("aria-invalid", String(fault !== ""));
  };
  return { element: make("div", "", name, input, error, note), input, complain };
}

/**
 * The keys that signed the records here; all that the file names, where it has no record. Each is
 * written as in a key set, where it is compared. An id in the file may be anybody's.
 */
function namedKeys({ bundle, keys }: Brought): HTMLElement {
  const used = new Set(bundle.records.map(({ key_id }) => key_id));
  const named = [...keys].filter(([kid]) => used.size === 0 || used.has(kid));
  const items = named.map(([, { x }]) => make("li", "", make("code", "", visible(x))));
  return make("ul", "keys", ...items);
}

/** Why what was pasted is no key to trust. */
function keyFault(pasted: string, detail: string, { keys }: Brought): string {
  const own = [...keys.values()].some(({ x }) => pasted.includes(x));
  return own
    ? "A file cannot vouch for its own keys. Paste the key set of the service."
    : `This cannot be read: ${detail}.`;
}

/** A note ends with a line break, which is easily lost on the way through a clipboard. */
const asNote = (text: string) => (text.trim() === "" ? undefined : `${text.trim()}\n`);

/** What was pasted; nothing, after complaining, where some of it cannot be read. */
async function readForm(key: Field, checkpoint: Field, brought: Brought): Promise<Given> {
  const pasted = key.input.value.trim() === "" ? undefined : await readPastedKey(key.input.value);
  const note = asNote(checkpoint.input.value);
  // Its form only; whether the right key signed it is part of the verdict.
  const form = note === undefined ? undefined : await verifyCheckpoint(note, []);
  const malformed = form?.ok === false && form.reason === "malformed";
  const fault = pasted?.ok === false ? keyFault(key.input.value, pasted.detail, brought) : "";
  key.complain(fault);
  checkpoint.complain(malformed ? `This cannot be read: ${form.detail}.` : "");
  const wrong = [pasted?.ok === false && key, malformed && checkpoint].find((one) => one !== false);
  wrong?.input.focus();
  if (wrong !== undefined || pasted?.ok === false) return { unread: true };
  return { keys: pasted?.value, checkpoint: note };
}

function checkpointHint({ first_seq, count }: Bundle): string {
  const sizes = `${first_seq} to ${first_seq + count} records`;
  return `Three lines, an empty line, and a signature. It must be from ${sizes} to fit this file.`;
}

/** Where the auditor says whom to trust. Until what was pasted can be read, nothing is green. */
export function trustForm(brought: Brought, verify: (given: Promise<Given>) => void): HTMLElement {
  const keyHint = "All of /.well-known/audit-jwks.json, or one line name+id+key.";
  const key = field("trusted-key", "Key you trust", keyHint);
  const label = "Checkpoint that you saved (optional)";
  const checkpoint = field("kept-checkpoint", label, checkpointHint(brought.bundle));
  const button = make("button", "", "Verify again");
  const form = make("form", "", key.element, checkpoint.element, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    verify(readForm(key, checkpoint, brought));
  });
  const title = make("h2", "", "Verify with a key you trust");
  const said = make("p", "", "The key that this file names, as the `x` of a key in the key set:");
  return make("section", "", title, said, namedKeys(brought), form);
}

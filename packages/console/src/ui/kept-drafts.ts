/** What was typed and not saved, in this tab: it survives a reload and a sign-out, and ends with the tab. */
const PREFIX = "gatehouse.draft.";
let person = "";

const keysOf = (wanted: (key: string) => boolean) =>
  Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX) && wanted(key));

const ownPrefix = () => `${PREFIX}${person}.`;

/** Says who is signed in. Nobody sees what somebody else typed in the same tab. */
export function keepDraftsOf(id: string): void {
  if (id === person) return;
  person = id;
  // What was typed before anybody was signed in belongs to nobody.
  for (const key of keysOf((one) => !one.startsWith(ownPrefix()))) sessionStorage.removeItem(key);
}

/** Empties the tab's storage but for what was typed. */
export function clearAllButDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (!key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

/** A draft by its name on this page. */
export const draftKey = (name: string): string =>
  `${ownPrefix()}${window.location.pathname}.${name}`;

export const keptDraft = (key: string): string | null => sessionStorage.getItem(key);

/** Keeps a text, or deletes what was kept. */
export function keepDraft(key: string, text: string | null): void {
  if (text === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, text);
}

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { draftKey, keepDraft, keptDraft } from "./kept-drafts.js";

interface Unsaved {
  /** Deletes what is kept in the tab. */
  discard(): void;
}

/** The drafts that are not saved, on any page. */
const unsaved = new Set<Unsaved>();

/** Whether leaving the page would lose something that somebody typed. */
export const hasUnsaved = () => unsaved.size > 0;

/** Discards what is not saved, because the person chose to leave. */
export function discardUnsaved(): void {
  for (const { discard } of unsaved) discard();
  unsaved.clear();
}

export interface Draft<Value> {
  readonly value: Value;
  readonly isChanged: boolean;
  set(change: Partial<Value>): void;
  /** What was sent is saved. What was typed since then stays. */
  saved(sent: Value): void;
  discard(): void;
}

interface Keeping<Value> {
  /** Keeps what was typed in the tab, under this name of the form. */
  readonly keep?: string;
  /** What is never kept. */
  readonly secret?: readonly (keyof Value)[];
}

/** What the tab has kept of a form; null if it has nothing. */
function readKept<Value extends object>(key: string | undefined, base: Value): Value | null {
  const text = key === undefined ? null : keptDraft(key);
  return text === null ? null : { ...base, ...JSON.parse(text) };
}

/** The changes as a text, without what is never kept. */
const withoutSecrets = <Value extends object>(value: Value, secret: readonly (keyof Value)[]) =>
  JSON.stringify(value, (name, part) => (secret.includes(name as keyof Value) ? undefined : part));

const NO_SECRETS: readonly never[] = [];

/**
 * What somebody types into a form. It keeps its changes when the service reports something else, and the page
 * asks before they are lost. `stored` is what the service has.
 */
export function useDraft<Value extends object>(
  stored: Value,
  { keep, secret = NO_SECRETS }: Keeping<Value> = {},
): Draft<Value> {
  const text = JSON.stringify(stored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same content is the same value.
  const base = useMemo(() => stored, [text]);
  const [key] = useState(() => (keep === undefined ? undefined : draftKey(keep)));
  const [edited, setEdited] = useState<Value | null>(() => readKept(key, base));
  const value = edited ?? base;
  const isChanged = edited !== null && JSON.stringify(edited) !== JSON.stringify(base);
  const own = useRef<Unsaved>({ discard: () => key !== undefined && keepDraft(key, null) }).current;
  const kept = isChanged && key !== undefined ? withoutSecrets(edited, secret) : null;
  useEffect(() => {
    if (key !== undefined) keepDraft(key, kept);
  }, [key, kept]);
  useEffect(() => {
    if (!isChanged) return;
    unsaved.add(own);
    return () => void unsaved.delete(own);
  }, [isChanged, own]);
  const set = useCallback(
    (change: Partial<Value>) => setEdited((now) => ({ ...(now ?? base), ...change })),
    [base],
  );
  const discard = useCallback(() => {
    // At once, because the page may be left before it is drawn again.
    unsaved.delete(own);
    own.discard();
    setEdited(null);
  }, [own]);
  const saved = useCallback(
    (sent: Value) => {
      unsaved.delete(own);
      own.discard();
      setEdited((now) => (now === sent ? null : now));
    },
    [own],
  );
  return { value, isChanged, set, saved, discard };
}

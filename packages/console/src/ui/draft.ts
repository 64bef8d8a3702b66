import { useCallback, useEffect, useMemo, useRef, useState } from "react";

/** The drafts that are not saved, on any page. */
const unsaved = new Set<object>();

/** Whether leaving the page would lose something that somebody typed. */
export const hasUnsaved = () => unsaved.size > 0;

/** Forgets what is not saved, because the person chose to leave. */
export const forgetUnsaved = () => unsaved.clear();

export interface Draft<Value> {
  readonly value: Value;
  readonly isChanged: boolean;
  set(change: Partial<Value>): void;
  /** What was sent is saved. What was typed since then stays. */
  saved(sent: Value): void;
  discard(): void;
}

/**
 * What somebody types into a form. It keeps its changes when the service reports something else, and the page
 * asks before they are lost. `found` is what is saved.
 */
export function useDraft<Value extends object>(found: Value): Draft<Value> {
  const text = JSON.stringify(found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same content is the same value.
  const base = useMemo(() => found, [text]);
  const [edited, setEdited] = useState<Value | null>(null);
  const value = edited ?? base;
  const isChanged = edited !== null && JSON.stringify(edited) !== JSON.stringify(base);
  const own = useRef({}).current;
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
    setEdited(null);
  }, [own]);
  const saved = useCallback(
    (sent: Value) => {
      unsaved.delete(own);
      setEdited((now) => (now === sent ? null : now));
    },
    [own],
  );
  return { value, isChanged, set, saved, discard };
}

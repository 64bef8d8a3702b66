import { useEffect, useRef } from "react";
import { isTyping } from "../ui/keys.js";

interface Shortcuts {
  search(): void;
  help(): void;
}

/** Ctrl-K, or Command-K on a Mac, opens the search everywhere; / does it outside fields, and ? shows the keys. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    function hear(event: KeyboardEvent) {
      const { key, target, altKey, ctrlKey, metaKey } = event;
      const isCommand = ctrlKey || metaKey;
      // On many keyboards / and ? need Shift.
      const isPlain = !isCommand && !altKey && !event.defaultPrevented && !isTyping(target);
      if ((isCommand && key.toLowerCase() === "k") || (isPlain && key === "/")) {
        latest.current.search();
      } else if (isPlain && key === "?") latest.current.help();
      else return;
      event.preventDefault();
    }
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, []);
}

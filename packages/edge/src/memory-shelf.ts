import type { KeptFile } from "./kept-file.js";
import type { Shelf } from "./runtime.js";

/** Keeps documents in this process; they are few, and each has its size limit. */
export function memoryShelf(): Shelf {
  const files = new Map<string, KeptFile>();
  return {
    get: async (key) => files.get(key),
    put: async (key, file) => {
      files.set(key, file);
    },
    remove: async (key) => {
      files.delete(key);
    },
  };
}

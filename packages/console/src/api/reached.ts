/** Whether the last request got an answer, of whatever kind. */
let reached = true;
const listeners = new Set<() => void>();

export const wasReached = () => reached;

export function onReached(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(now: boolean): void {
  if (now === reached) return;
  reached = now;
  for (const listener of listeners) listener();
}

/** The service gave no answer at all. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** `fetch` that notes whether the service could be reached. */
export async function reach(path: string, request: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, request);
    set(true);
    return response;
  } catch (error) {
    set(false);
    throw new Unreachable("Gatehouse could not be reached. Check your connection and try again.", {
      cause: error,
    });
  }
}

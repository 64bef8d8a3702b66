import type { components } from "../../generated/schema.js";
import { Refused, send } from "./send.js";

export { OWN, Refused } from "./send.js";

/** The schemas of the API, by name. */
export type Api = components["schemas"];

/** Calls the service as the signed-in person. If the call needs a passkey, it asks for one and tries again. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    return await send<Answer>(method, path, body);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== "confirmation_required") throw error;
    const { confirmWithPasskey } = await import("../session/confirm.js");
    await confirmWithPasskey();
    return send<Answer>(method, path, body);
  }
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string;
}

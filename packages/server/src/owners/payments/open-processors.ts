import type { Clock } from "../../platform/clock.js";
import type { Database } from "../../platform/db/database.js";
import type { Ids } from "../../platform/ids.js";
import type { Processor, Processors } from "./processor.js";
import { SandboxProcessor } from "./processors/sandbox.js";

/** Every processor that is built in. A test may stand before the embedded one and make it fail. */
export function openProcessors(
  tools: { readonly db: Database; readonly clock: Clock; readonly ids: Ids },
  before: (sandbox: Processor) => Processor = (sandbox) => sandbox,
): Processors {
  return { sandbox: before(new SandboxProcessor(tools)) };
}

/** What the composition root needs of payments: nothing else reaches past `decide`. */
export { openProcessors } from "../owners/payments/open-processors.js";
export type { Processor, Processors } from "../owners/payments/processor.js";

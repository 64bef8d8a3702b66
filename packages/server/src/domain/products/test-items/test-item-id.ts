import type { Ids } from "../../../infra/ids.js";

const PREFIX = "test-item";
const FORM = /^test-item_[\w-]{24}$/;

/** An id that no product of a shop has. */
export const newTestItemId = (ids: Ids): string => ids.id(PREFIX);

/** Whether an order is for the item of a test, which is removed when the test is over. */
export const isTestItemId = (id: string): boolean => FORM.test(id);

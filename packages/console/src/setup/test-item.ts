import { call, OWN } from "../api/client.js";
import type { Review } from "../reviews/reviews.js";

export const TEST_ITEM_ID = "gatehouse-test-item";
/** The tag of test agents. */
export const TEST_TAG = "setup";

const itemPath = (path: string) => `${path}/products?id=${TEST_ITEM_ID}`;

/** Whether a review is about the test purchase of the setup. */
export function isTestPurchase({ items }: Pick<Review, "items">): boolean {
  return items.length > 0 && items.every(({ id }) => id === TEST_ITEM_ID);
}

/** Puts the test item on sale or takes it off. Nobody but the test agent should find it. */
export async function offerTestItem(path: string, offered: boolean): Promise<void> {
  await call("PATCH", itemPath(path), { paused: !offered });
}

/** Takes the test item off sale while the page is being closed. */
export function withdrawTestItem(path: string): void {
  const headers = { ...OWN, "content-type": "application/json" };
  const body = JSON.stringify({ paused: true });
  void fetch(itemPath(path), { method: "PATCH", headers, body, keepalive: true }).catch(() => {});
}

/** Ends a test: the item is off sale and the agent is revoked. */
export async function endTest(path: string, agentId: string): Promise<void> {
  await offerTestItem(path, false);
  await call("POST", `${path}/agents/${encodeURIComponent(agentId)}/revoke`, {});
}

/** What a test purchase needs to go on after a reload: no key, and a token of the sandbox only. */
export interface KeptPurchase {
  readonly agentId: string;
  /** The signed mandate, byte for byte: sent again, it gets the same answer. */
  readonly mandate: string;
  readonly mandateUrl: string;
}

const PREFIX = "gatehouse.purchase.";
const keyOf = (siteKeyHash: string) => PREFIX + siteKeyHash;

export function keptPurchase(siteKeyHash: string): KeptPurchase | null {
  const text = localStorage.getItem(keyOf(siteKeyHash));
  if (text === null) return null;
  try {
    return JSON.parse(text) as KeptPurchase;
  } catch {
    return null;
  }
}

export function keepPurchase(siteKeyHash: string, purchase: KeptPurchase): void {
  localStorage.setItem(keyOf(siteKeyHash), JSON.stringify(purchase));
}

export function forgetPurchase(siteKeyHash: string): void {
  localStorage.removeItem(keyOf(siteKeyHash));
}

/** Whoever signs in next has nothing to do with them. */
export function forgetPurchases(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  }
}

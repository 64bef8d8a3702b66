/** What a test purchase needs to continue after a reload. It contains no key. */
export interface KeptPurchase {
  readonly agentId: string;
  /** The signed mandate. Sent again unchanged, it gets the same answer. */
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

export function deletePurchase(siteKeyHash: string): void {
  localStorage.removeItem(keyOf(siteKeyHash));
}

/** The next person who signs in must not see them. */
export function deletePurchases(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  }
}

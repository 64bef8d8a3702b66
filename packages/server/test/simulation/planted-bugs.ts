/** A mistake in the service: a text of a source file, and what stands in its place. */
export interface PlantedBug {
  readonly name: string;
  /** Below `packages/server/src`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** Mistakes that the simulation must find. None of them is in the source: they are put into a bundle of it. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "a declined payment keeps its goods reserved",
    file: "purchase/outcome.ts",
    right: `  await unreserve(tx, payment.siteKeyHash, payment.items);
  await reject(tx, payment, decision, { reason: "payment_declined", now });`,
    wrong: `  await reject(tx, payment, decision, { reason: "payment_declined", now });`,
  },
  {
    name: "a repeated request authorizes again, with a key of its own",
    file: "purchase/settle.ts",
    right: "const idempotencyKey = attemptId;",
    wrong: "const idempotencyKey = attemptId + (arguments[0].tries > 0 ? arguments[0].tries : '');",
  },
  {
    name: "an authorization without an order is not voided",
    file: "purchase/outcome.ts",
    right: `    ...payment,
    status: "releasing",
    challengeUrl: null,
    nextAt: nextLook(0, now),
  };
  await unreserve`,
    wrong: `    ...payment,
    status: "declined",
    challengeUrl: null,
    nextAt: null,
  };
  await unreserve`,
  },
  {
    name: "an authorization counts as voided although the provider did not answer",
    file: "purchase/settle.ts",
    right: `  if (result.outcome === "unknown") {
    const { clock, db }`,
    wrong: `  if (result.outcome === "unknown") {
    return writeVoidOutcome(context, payment.attemptId, { outcome: "released" });
    const { clock, db }`,
  },
  {
    name: "a purchase is counted twice in budgets",
    file: "domain/decisions/store.ts",
    right: "await addToBuckets(tx, decision, decision.evaluatedAt, { minor, decisions: 1 });",
    wrong:
      "await addToBuckets(tx, decision, decision.evaluatedAt, { minor: minor * 2, decisions: 1 });",
  },
  {
    name: "a rejected payment stays in the budget",
    file: "domain/decisions/store.ts",
    right: "const minor = spentAt === null ? -amount.minor : amount.minor;",
    wrong: "const minor = spentAt === null ? 0 : amount.minor;",
  },
  {
    name: "checkouts are approved while sales are paused",
    file: "domain/sites/gates.ts",
    right: 'const allowed = site.status === "verified" && site.pausedAt === null;',
    wrong: 'const allowed = site.status === "verified";',
  },
  {
    name: "buyers pay on a page while sales are paused",
    file: "purchase/order-obstacle.ts",
    right: `  const closed = payment.hosted ? await closedSincePage(tx, payment) : undefined;
  if (closed !== undefined) return closed;`,
    wrong:
      '  if (payment.hosted) return (await sell(tx, siteKeyHash, items)) ? undefined : "out_of_stock";',
  },
  {
    name: "an order is written although the provider did not answer",
    file: "purchase/outcome.ts",
    right: `  if (settlement.outcome === "unknown") return outcomeUnknown(payment, settlement, now);`,
    wrong: `  if (settlement.outcome === "unknown" && settlement.reason === "timed_out")
    return authorized(context, tx, payment, { expiresAt: null, now });
  if (settlement.outcome === "unknown") return outcomeUnknown(payment, settlement, now);`,
  },
  {
    name: "a wrong clock does not stop decisions",
    file: "purchase/evaluate.ts",
    right: "await clockGuard.require(tx, question.now);",
    wrong: "",
  },
  {
    name: "a cancelled checkout still gets its order",
    file: "purchase/order-obstacle.ts",
    right: `  if (!stillWanted) return "checkout_cancelled";`,
    wrong: "",
  },
  {
    name: "the provider is asked before the intent is written",
    file: "purchase/commit.ts",
    right: "  await insertPayment(tx, payment);",
    wrong: `  if (token !== null) {
    const { authorize } = await import("./settle.js");
    await authorize(context, payment, { first: true });
  }
  await insertPayment(tx, payment);`,
  },
  {
    name: "a sold product stays in stock",
    file: "domain/products/store.ts",
    right: "product.quantity === null ? null : product.quantity - taken;",
    wrong: "product.quantity;",
  },
  {
    name: "the record of an order is not written",
    file: "purchase/outcome.ts",
    right:
      "return { payment: ended, records: [outcomeRecord(ended, result, now, { order_id: orderId })] };",
    wrong: "return { payment: ended, records: [] };",
  },
  {
    name: "nobody looks after a payment whose process died",
    file: "purchase/commit.ts",
    right: "nextAt: now + FIRST_LOOK_MS,",
    wrong: "nextAt: null,",
  },
  {
    name: "an answer that comes after the end is written as if the payment were open",
    file: "purchase/outcome.ts",
    right: "if (!isOpen(current)) return lateAnswer(tx, current, settlement, now);",
    wrong: `if (current.status === "authorized") return lateAnswer(tx, current, settlement, now);`,
  },
];

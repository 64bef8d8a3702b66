/** A mandate of about 1 KB, as an agent would sign it. */
export const mandate = {
  v: 1,
  mandate_id: "01JABCDEFGHJKMNPQRSTVWXYZ0",
  agent_id: "agt_0123456789abcdef",
  site_key: `us_${"A".repeat(43)}`,
  audience: `https://gate.example.com/v1/m/us_${"A".repeat(43)}/mandate`,
  issued_at: "2030-05-17T10:00:00Z",
  expires_at: "2030-05-17T10:10:00Z",
  skill: "place_order",
  arguments: {
    items: [
      { id: "rose-12", quantity: 2 },
      { id: "vase-blue", quantity: 1 },
      { id: "card-thanks", quantity: 1 },
    ],
    note: "Zum Geburtstag, alles Gute – mit Grüßen",
  },
  payment: { handler: "sandbox", token: "tok_visa_debit_0123456789" },
  protocol_context: {
    protocol: "ap2",
    cart_total: "104.50",
    cart_currency: "EUR",
    session: "sess_9f8e7d6c5b4a",
    merchant: "Fern & Petal",
    delivery: { date: "2030-05-20", window: ["09:00", "12:00"], address_ref: "addr_77aa88bb99cc" },
  },
  evidence: [{ type: "checkout", digest: `sha-256:${"b".repeat(43)}` }],
  trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
};

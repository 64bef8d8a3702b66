import type { Role } from "../../src/domain/access/principal.ts";

/** Who may call a route of the admin API, and whether a person has to use a passkey first. */
export interface RouteRule {
  /** The least powerful role that may call it; undefined for everybody who is signed in. */
  readonly needs: Role | undefined;
  readonly asks: boolean;
  /** What a call sends, where the schema alone does not give a valid example. */
  readonly body?: object;
}

type Marked = Readonly<Record<string, Omit<RouteRule, "needs">>>;

const SITE = "/v1/admin/sites/{site_key_hash}";
const DAY = "2026-01-01";
const ASKS = { asks: true };
const FREE = { asks: false };

function withRole(needs: Role, routes: Marked): Record<string, RouteRule> {
  const named = Object.entries(routes).map(([name, rule]): [string, RouteRule] => {
    return [name.replace("{site}", SITE), { needs, ...rule }];
  });
  return Object.fromEntries(named);
}

/**
 * Every route of the admin API. A route asks for a passkey if it changes money, keys, people or rules, or if an
 * operator vouches with it for something that is not proven. What people do every day does not ask: reviews,
 * orders, products, agents. Neither does what stops something, such as a pause.
 */
export const ADMIN_ROUTES: Readonly<Record<string, RouteRule>> = {
  ...withRole("operator", {
    "post /v1/admin/clock/accept": ASKS,
    "get /v1/admin/edge-tokens": FREE,
    "post /v1/admin/installation/audit/archives": { asks: false, body: { before: DAY } },
    "post /v1/admin/installation/audit/epochs": ASKS,
    "get /v1/admin/keys": FREE,
    "post /v1/admin/keys/rotate": ASKS,
    "get /v1/admin/people": FREE,
    "post /v1/admin/people": ASKS,
    "delete /v1/admin/people/{person_id}": ASKS,
    "post /v1/admin/sites": FREE,
    "delete {site}": ASKS,
    "post {site}/audit/archives": { asks: false, body: { before: DAY } },
    "post {site}/audit/epochs": ASKS,
    "post {site}/verify": { asks: true, body: { method: "operator", reason: "Known to us" } },
    "get /v1/admin/tokens": FREE,
    "post /v1/admin/tokens": ASKS,
  }),
  ...withRole("owner", {
    "post /v1/admin/people/{person_id}/links": ASKS,
    "get /v1/admin/people/{person_id}/sessions": FREE,
    "delete /v1/admin/people/{person_id}/sessions/{session_id}": ASKS,
    "patch {site}": FREE,
    "put {site}/picture": FREE,
    "delete {site}/picture": FREE,
    "post {site}/agents": FREE,
    "patch {site}/agents/{agent_id}": FREE,
    "post {site}/agents/{agent_id}/{step}": FREE,
    "get {site}/edge-tokens": FREE,
    "post {site}/edge-tokens": ASKS,
    "post {site}/install-check": FREE,
    // Only automatic approval is a rule.
    "patch {site}/mandates": { asks: true, body: { auto_admit: [] } },
    "get {site}/messages": FREE,
    "post {site}/messages/{message_id}/resend": FREE,
    "get {site}/notifications": FREE,
    "put {site}/notifications": FREE,
    "post {site}/notifications/test": FREE,
    "post {site}/buyers/erase": { asks: true, body: { email: "ann@example.com" } },
    "post {site}/buyers/export": { asks: false, body: { email: "ann@example.com" } },
    "post {site}/buyers/find": { asks: false, body: { email: "ann@example.com" } },
    "put {site}/buyers/retention": { asks: true, body: { days: 30 } },
    "post {site}/orders/search": { asks: false, body: { buyer: "ada@example.com" } },
    "post {site}/orders/{order_id}/cancel": FREE,
    "post {site}/orders/{order_id}/capture": ASKS,
    "post {site}/orders/{order_id}/notes": FREE,
    "post {site}/orders/{order_id}/refund": ASKS,
    "post {site}/orders/{order_id}/rehearse": FREE,
    "post {site}/orders/{order_id}/ship": FREE,
    "delete {site}/orders/{order_id}/shipment": FREE,
    "post {site}/pause": FREE,
    "post {site}/pending-agents/reject": FREE,
    "post {site}/people": ASKS,
    "delete {site}/people/{person_id}": ASKS,
    "put {site}/people/{person_id}/role": ASKS,
    "patch {site}/platform-settings": ASKS,
    "delete {site}/platforms/{platform}": FREE,
    "put {site}/platforms/{platform}": FREE,
    "get {site}/platforms/{platform}/connection": FREE,
    "patch {site}/platforms/{platform}/connection": ASKS,
    "get {site}/platforms/{platform}/credentials": FREE,
    "post {site}/platforms/{platform}/credentials": ASKS,
    "delete {site}/platforms/{platform}/credentials/{credential_id}": ASKS,
    "put {site}/policy": ASKS,
    // For a live account.
    "delete {site}/processor": ASKS,
    "put {site}/processor": { asks: true, body: { kind: "stripe", rail_on: true, settles: true } },
    "post {site}/processor/test": FREE,
    "delete {site}/questions/{question_id}": FREE,
    "delete {site}/product-feed": FREE,
    "get {site}/product-feed": FREE,
    "put {site}/product-feed": { asks: false, body: { url: "https://shop.example.com/feed" } },
    "post {site}/product-feed/fetch": FREE,
    "delete {site}/products": FREE,
    "patch {site}/products": FREE,
    "post {site}/products": FREE,
    "put {site}/products": FREE,
    "put {site}/products/picture": FREE,
    "get {site}/products/import": FREE,
    "post {site}/products/import": FREE,
    "post {site}/products/import/check": FREE,
    "post {site}/products/import/undo": FREE,
    "post {site}/resume": FREE,
    // Only a new link into a cart is where buyers pay.
    "put {site}/shop": { asks: true, body: { cart_link: "https://shop.example.com/{items}" } },
    "delete {site}/shop-connection": FREE,
    "get {site}/shop-connection": FREE,
    "post {site}/shop-connection/codes": { asks: true, body: {} },
    "post {site}/shop-connection/confirm-list": FREE,
    "put {site}/skills": FREE,
    "post {site}/test-purchases": FREE,
    "get {site}/tokens": FREE,
    "post {site}/tokens": ASKS,
    "delete /v1/admin/tokens/{token_id}": ASKS,
    "get /v1/admin/tokens/{token_id}/descendants": FREE,
  }),
  ...withRole("reviewer", {
    "post {site}/escalations/{escalation_id}/approve": FREE,
    "post {site}/escalations/{escalation_id}/deny": FREE,
    "delete {site}/escalations/{escalation_id}/verdict": FREE,
    "post {site}/questions/{question_id}/answer": FREE,
    "post {site}/questions/{question_id}/dismiss": FREE,
  }),
  ...withRole("auditor", {
    "get /v1/admin/installation/audit/archives": FREE,
    "get /v1/admin/installation/audit/checkpoint": FREE,
    "get /v1/admin/installation/audit/exports": FREE,
    "get /v1/admin/installation/audit/logs": FREE,
    "get /v1/admin/installation/audit/records": FREE,
    "get /v1/admin/installation/audit/records/{record_id}": FREE,
    "get {site}": FREE,
    "get {site}/agents": FREE,
    "get {site}/agents/{agent_id}": FREE,
    "get {site}/audit/archives": FREE,
    "get {site}/audit/checkpoint": FREE,
    "get {site}/audit/exports": FREE,
    "get {site}/audit/logs": FREE,
    "get {site}/audit/records": FREE,
    "get {site}/audit/records/{record_id}": FREE,
    "get {site}/buyers/retention": FREE,
    "get {site}/changes": FREE,
    "get {site}/decisions": FREE,
    "get {site}/decisions/counts": FREE,
    "get {site}/decisions/{decision_id}": FREE,
    "get {site}/declines": FREE,
    "get {site}/escalations": FREE,
    "get {site}/escalations/{escalation_id}": FREE,
    "get {site}/install-check": FREE,
    "get {site}/mandates": FREE,
    "get {site}/orders": FREE,
    "get {site}/orders/counts": FREE,
    "get {site}/orders/{order_id}": FREE,
    "get {site}/people": FREE,
    "get {site}/platform-settings": FREE,
    "get {site}/platforms": FREE,
    "get {site}/policy": FREE,
    "post {site}/policy/test": FREE,
    "get {site}/policy/versions": FREE,
    "get {site}/policy/versions/{version}": FREE,
    "post {site}/preview": FREE,
    "get {site}/processor": FREE,
    "get {site}/products": FREE,
    "get {site}/products/source": FREE,
    "get {site}/questions": FREE,
    "get {site}/questions/{question_id}": FREE,
    "get {site}/shop": FREE,
    "get {site}/skills": FREE,
    "get {site}/visits": FREE,
    "get {site}/visits/counts": FREE,
  }),
  "get /v1/admin/sites": { needs: undefined, asks: false },
  "post /v1/admin/console-links": { needs: undefined, asks: false },
};

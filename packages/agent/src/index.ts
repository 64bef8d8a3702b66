export { type DiscoveredSite, discover } from "./discover.js";
export { AgentError, type JsonAnswer } from "./http.js";
export { type AgentKey, generateAgentKey, openAgentKey, type StoredAgentKey } from "./key.js";
export {
  escalationStatus,
  type MandateRequest,
  mandateFor,
  mandateText,
  type SignedMandate,
  send,
  sendText,
  sign,
  withdraw,
} from "./mandate.js";
export { callTool, type OrderItem, orderRequest, placeOrder, quoteOrder } from "./order.js";
export {
  type AgentClaims,
  type AgentStatus,
  agentStatus,
  type RegisteredAgent,
  register,
} from "./register.js";

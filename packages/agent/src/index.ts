export { type DiscoveredSite, discover } from "./discover.js";
export { AgentError } from "./http.js";
export { type AgentKey, generateAgentKey, openAgentKey, type StoredAgentKey } from "./key.js";
export { type AgentClaims, agentStatus, type RegisteredAgent, register } from "./register.js";

export { POLICY_BYTES_MAX, POLICY_RULES_MAX, policyDigest, readPolicy } from "./document.js";
export { POLICY_WINDOWS, type PolicyWindow, policyDurationMs } from "./duration.js";
export { type Evaluation, evaluatePolicy } from "./evaluate.js";
export {
  type CountFact,
  type PolicyFacts,
  readPolicyFacts,
  type SpentFact,
} from "./facts.js";
export type { PolicyFinding, PolicyFindingCode } from "./finding.js";
export { policyFindings } from "./findings.js";
export type { RuleResult } from "./match.js";
export type {
  Comparison,
  Condition,
  ExistsFact,
  Policy,
  PolicyEffect,
  PolicyEscalation,
  PolicyRule,
  PolicyScope,
  TextFact,
} from "./model.js";
export { type CounterName, type FactsNeeded, factsNeeded } from "./needs.js";
export type { PolicySiteFacts } from "./overlaps.js";
export { permittedSkills } from "./permitted-skills.js";
export { type PoolFacts, readPoolFacts, withPool } from "./pool.js";
export {
  POLICY_PRESETS,
  type PolicyPreset,
  type PolicyPresetOptions,
  policyPreset,
} from "./presets.js";
export { type PolicyReasons, type PolicyRefusal, policyReasons } from "./reasons.js";
export { type PolicyReview, policyReview } from "./review.js";
export { POLICY_DEPTH_MAX } from "./rule.js";

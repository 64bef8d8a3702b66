const ACTIONS = { 0: "Unknown", 1: "Allowed", 2: "Denied", 3: "Observed", 99: "Escalated" };
const DISPOSITIONS = {
  0: "Unknown",
  1: "Allowed",
  2: "Blocked",
  8: "Approved",
  17: "Logged",
  25: "Rejected",
  26: "Unauthorized",
  27: "Error",
  99: "Escalated",
};
const STATUSES = { 0: "Unknown", 1: "Success", 2: "Failure" };
const SEVERITIES = { 0: "Unknown", 1: "Informational", 2: "Low", 3: "Medium", 4: "High" };

/** How something came out, in the numbers of OCSF's profile `security_control`. */
export interface OcsfVerdict {
  readonly action: keyof typeof ACTIONS;
  readonly disposition: keyof typeof DISPOSITIONS;
  readonly status: keyof typeof STATUSES;
  readonly severity: keyof typeof SEVERITIES;
}

const APPROVED: OcsfVerdict = { action: 1, disposition: 8, status: 1, severity: 1 };
export const REJECTED: OcsfVerdict = { action: 2, disposition: 25, status: 1, severity: 2 };
export const UNAUTHORIZED: OcsfVerdict = { ...REJECTED, disposition: 26 };
// Not 23, Challenge: that one tells browsers from robots.
const ESCALATED: OcsfVerdict = { action: 99, disposition: 99, status: 1, severity: 2 };
const FAILED_CLOSED: OcsfVerdict = { action: 2, disposition: 27, status: 2, severity: 4 };
export const RAN: OcsfVerdict = { action: 1, disposition: 1, status: 1, severity: 1 };
const RAN_WITH_ERROR: OcsfVerdict = { ...RAN, status: 2, severity: 3 };
const BLOCKED: OcsfVerdict = { action: 2, disposition: 2, status: 2, severity: 3 };
export const LOGGED: OcsfVerdict = { action: 3, disposition: 17, status: 1, severity: 1 };
export const UNKNOWN: OcsfVerdict = { action: 0, disposition: 0, status: 0, severity: 0 };
// Money may have moved, so somebody has to look.
const UNSETTLED: OcsfVerdict = { ...UNKNOWN, severity: 4 };

/** Verdicts by the word that a record has for them. */
export type OcsfVerdicts = ReadonlyMap<string, OcsfVerdict>;

export const DECIDED: OcsfVerdicts = new Map([
  ["approved", APPROVED],
  ["rejected", REJECTED],
  ["escalated", ESCALATED],
  // Turned away before anything was decided.
  ["rate_limited", BLOCKED],
  ["unavailable", FAILED_CLOSED],
]);

export const PAID: OcsfVerdicts = new Map([
  ["authorized", APPROVED],
  ["declined", REJECTED],
  ["unknown", UNSETTLED],
]);

/** However a review ended: without an approval, nothing went ahead. */
export const REVIEWED: OcsfVerdicts = new Map([
  ["approved", APPROVED],
  ["denied", REJECTED],
  ["expired", REJECTED],
  ["withdrawn", REJECTED],
  ["invalidated", REJECTED],
]);

export const CALLED: OcsfVerdicts = new Map([
  ["answered", RAN],
  ["error", RAN_WITH_ERROR],
  ["refused", BLOCKED],
  ["rate_limited", BLOCKED],
]);

/** The members of an event that tell a verdict, each number with its caption. */
export function verdictMembers({ action, disposition, status, severity }: OcsfVerdict) {
  return {
    action_id: action,
    action: ACTIONS[action],
    disposition_id: disposition,
    disposition: DISPOSITIONS[disposition],
    status_id: status,
    status: STATUSES[status],
    severity_id: severity,
    severity: SEVERITIES[severity],
  };
}

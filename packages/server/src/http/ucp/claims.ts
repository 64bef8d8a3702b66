import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import { TEXT_CHARS_MAX } from "./fields.js";

/** The number of claims that are answered. Each answer repeats the claim, and a request can hold many. */
const CLAIMS_MAX = 10;

/**
 * A warning for each benefit in `context.eligibility`, such as a membership. A shop here accepts none. UCP:
 * such a claim is never an error and does not block anything, but the buyer sees it.
 */
export function claimWarnings({ context }: JsonObject): readonly JsonObject[] {
  const { eligibility } = isJsonObject(context) ? context : {};
  const claims = Array.isArray(eligibility) ? (eligibility as readonly unknown[]) : [];
  return [...new Set(claims)]
    .filter((claim) => typeof claim === "string" && claim.length <= TEXT_CHARS_MAX)
    .slice(0, CLAIMS_MAX)
    .map((claim) => ({
      type: "warning",
      code: "eligibility_not_accepted",
      content: `The shop does not accept this claim: ${claim}`,
    }));
}

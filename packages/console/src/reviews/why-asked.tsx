import { useQuery } from "@tanstack/react-query";
import { useSite } from "../layout/sites.js";
import { rulesOf } from "../policy/policy.js";
import { askedText } from "../policy/rule-text.js";
import { versionQuery } from "../policy/versions.js";
import { countText } from "../ui/words.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

/** The rule that asks for a review, in a sentence, and how many people must approve. */
export function WhyAsked({ review }: { readonly review: Review }) {
  const { path } = useSite();
  const { rule_id, policy_version, approvals_needed, approved_by, status } = review;
  const { data } = useQuery(versionQuery(path, policy_version));
  const rule = data && rulesOf(data.document as never).find(({ id }) => id === rule_id);
  const unnamed = "No rule matched, and your default is to ask for a review.";
  return (
    <Part title={status === "pending" ? "Why you are asked" : "Why you were asked"}>
      {data !== undefined && <p>{rule === undefined ? unnamed : askedText(rule)}</p>}
      {typeof rule?.title === "string" && <p className="text-sm text-soft">Rule “{rule.title}”</p>}
      {approvals_needed > 1 && (
        <p className="text-sm text-soft">
          {countText(approvals_needed, "person", "people")} must approve it. {approved_by.length} of{" "}
          {approvals_needed} approved it so far.
        </p>
      )}
    </Part>
  );
}

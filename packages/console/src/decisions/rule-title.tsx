import type { JsonObject } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useSite } from "../layout/sites.js";
import { rulesOf } from "../policy/policy.js";
import { ruleName } from "../policy/rule-name.js";
import { versionQuery } from "../policy/versions.js";

/** What people call the rule that decided, in the version of the rules that was in force. */
export function RuleTitle({
  version,
  id,
}: {
  readonly version: number | null;
  readonly id: string;
}) {
  const { path } = useSite();
  const { data } = useQuery(versionQuery(path, version));
  const rule = rulesOf((data?.document ?? {}) as JsonObject).find((one) => one.id === id);
  return <>{rule === undefined ? id : ruleName(rule)}</>;
}

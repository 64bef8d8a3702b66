import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { policyQuery } from "../policy/policy.js";
import { Presets } from "../policy/presets.js";
import { Notice } from "../ui/notice.js";
import { Outcome } from "../ui/outcome.js";
import { Card } from "../ui/page.js";

/** The first policy: one that others use. */
export function FirstPolicy() {
  const { path, name } = useSite();
  const current = useQuery(policyQuery(path));
  const publish = useSave(
    (text: string) => call("PUT", `${path}/policy`, JSON.parse(text)),
    "policy",
    "processor",
    "sites",
  );
  return (
    <Card title="What may agents do by themselves?">
      {current.data != null && (
        <Notice>
          Version {current.data.version} is in force.{" "}
          <Link to="/$site/policy" params={{ site: name }} className="link">
            Look at it
          </Link>
        </Notice>
      )}
      <Presets
        use="Publish this policy"
        replaces={current.data != null}
        onUse={(text) => publish.mutate(text)}
      />
      <Outcome of={publish} done="Published." />
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { policyQuery } from "../policy/policy.js";
import { Presets } from "../policy/presets.js";
import { Notice } from "../ui/notice.js";
import { SaveMessage } from "../ui/outcome.js";
import { Card } from "../ui/page.js";

/** The first rules: a preset. */
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
    <Card title="What can agents do by themselves?">
      {current.data != null && (
        <Notice>
          Your rules are published (version {current.data.version}).{" "}
          <Link to="/$site/policy" params={{ site: name }} className="link">
            Show rules
          </Link>
        </Notice>
      )}
      <Presets
        use="Publish these rules"
        replaces={current.data != null}
        onUse={(text) => publish.mutate(text)}
      />
      <SaveMessage of={publish} done="Published." />
    </Card>
  );
}

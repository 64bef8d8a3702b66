import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Gates } from "../settings/payments.js";
import { processorQuery } from "../settings/processor.js";
import { Button } from "../ui/button.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { SaveMessage } from "../ui/outcome.js";
import { Card } from "../ui/page.js";
import { titleOf } from "../ui/words.js";

/** A payment provider for tests: no money moves. */
export function FirstProcessor() {
  const { path, name } = useSite();
  const processor = useQuery(processorQuery(path));
  const connect = useSave(
    () => call("PUT", `${path}/processor`, { kind: "sandbox", rail_on: true, settles: true }),
    "processor",
    "sites",
    "skills",
  );
  if (processor.isError) return <Failure error={processor.error} />;
  if (!processor.isSuccess) return <Loading />;
  return (
    <Card title="Connect payments">
      <p className="text-sm text-soft">
        Start with the sandbox. It works like a payment provider, but no money moves. Or{" "}
        <Link to="/$site/settings/$part" params={{ site: name, part: "payments" }} className="link">
          connect Stripe
        </Link>
        , now or later. With a test key, no money moves either.
      </p>
      {processor.data.kind === null ? (
        <Button
          kind="act"
          className="self-start"
          disabled={connect.isPending}
          onClick={() => connect.mutate()}
        >
          Connect the sandbox
        </Button>
      ) : (
        <Notice>{titleOf(processor.data.kind)} is connected.</Notice>
      )}
      <SaveMessage of={connect} done="Connected." />
      <Gates processor={processor.data} />
    </Card>
  );
}

import type { JsonObject } from "@gatehouse/protocol";
import { Link } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { countText, moneyText } from "../ui/words.js";

type Tested = Api["PolicyTest"];

/** So many changed decisions are shown. The others are counted. */
const SHOWN_MAX = 50;

function Summary({ tested }: { readonly tested: Tested }) {
  const { was, would_be } = tested.summary;
  return (
    <table className="rows text-sm" aria-label="Decisions with this draft">
      <thead>
        <tr className="text-left text-xs text-soft">
          <th scope="col">Outcome</th>
          <th scope="col">Now</th>
          <th scope="col">With this draft</th>
        </tr>
      </thead>
      <tbody>
        {(["approved", "escalated", "rejected"] as const).map((outcome) => (
          <tr key={outcome}>
            <td data-head="Outcome">
              <Badge word={outcome} />
            </td>
            <td data-head="Now">{was[outcome]}</td>
            <td data-head="With this draft">{would_be[outcome]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Changed({ tested }: { readonly tested: Tested }) {
  const { name: site } = useSite();
  const { changed } = tested;
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {changed.slice(0, SHOWN_MAX).map((one) => (
        <li key={one.decision_id} className="flex flex-wrap items-center gap-2">
          <Badge word={one.was.outcome} /> → <Badge word={one.would_be.outcome} />
          <Link to="/$site/decisions/$id" params={{ site, id: one.decision_id }} className="link">
            {skillTitle(one.skill)} {moneyText(one.amount)}
          </Link>
          <span className="text-soft">
            {one.would_be.rule_id === null ? "no rule matched" : `rule ${one.would_be.rule_id}`},{" "}
            <Time at={one.evaluated_at} />
          </span>
        </li>
      ))}
      {changed.length > SHOWN_MAX && <li>And {changed.length - SHOWN_MAX} more.</li>}
    </ul>
  );
}

/** Tests the draft on past decisions. Nothing is changed. */
export function DryRun({ draft }: { readonly draft: JsonObject | undefined }) {
  const { path } = useSite();
  const test = useSave((policy: JsonObject) =>
    call<Tested>("POST", `${path}/policy/test`, { policy }),
  );
  return (
    <Card
      title="Test on past decisions"
      actions={
        <Button
          disabled={draft === undefined || test.isPending}
          onClick={() => draft && test.mutate(draft)}
        >
          {test.isPending ? "Testing…" : "Run test"}
        </Button>
      }
    >
      {test.isError && <Failure error={test.error} />}
      {test.data === undefined ? (
        <p className="text-sm text-soft">
          See what this draft would have decided about recent requests. Nothing is changed.
        </p>
      ) : (
        <>
          <p role="status" className="text-sm">
            {countText(test.data.tested, "decision")} tested: {test.data.same} the same,{" "}
            <strong>{test.data.changed.length} different</strong>.
          </p>
          {test.data.tested > 0 && <Summary tested={test.data} />}
          <Changed tested={test.data} />
        </>
      )}
    </Card>
  );
}

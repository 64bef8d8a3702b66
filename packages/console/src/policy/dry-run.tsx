import type { JsonObject } from "@gatehouse/protocol";
import { Link } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { countText, moneyText } from "../ui/words.js";

type Tested = Api["PolicyTest"];

/** Changed decisions that are shown; the others are counted. */
const SHOWN_MAX = 50;

function Summary({ tested }: { readonly tested: Tested }) {
  const { was, would_be } = tested.summary;
  return (
    <table className="rows text-sm" aria-label="What would have been decided">
      <thead>
        <tr className="text-left text-xs text-soft">
          <th scope="col">Outcome</th>
          <th scope="col">Was</th>
          <th scope="col">Would be</th>
        </tr>
      </thead>
      <tbody>
        {(["approved", "escalated", "rejected"] as const).map((outcome) => (
          <tr key={outcome}>
            <td data-head="Outcome">
              <Badge word={outcome} />
            </td>
            <td data-head="Was">{was[outcome]}</td>
            <td data-head="Would be">{would_be[outcome]}</td>
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
            {one.skill} {moneyText(one.amount)}
          </Link>
          <span className="text-soft">
            by {one.would_be.rule_id ?? "the default"}, <Time at={one.evaluated_at} />
          </span>
        </li>
      ))}
      {changed.length > SHOWN_MAX && <li>And {changed.length - SHOWN_MAX} more.</li>}
    </ul>
  );
}

/** Decides past decisions again, as if the draft had been in force. Nothing is written. */
export function DryRun({ draft }: { readonly draft: JsonObject | undefined }) {
  const { path } = useSite();
  const test = useSave((policy: JsonObject) =>
    call<Tested>("POST", `${path}/policy/test`, { policy }),
  );
  return (
    <Card
      title="Try it on past decisions"
      actions={
        <Button
          disabled={draft === undefined || test.isPending}
          onClick={() => draft && test.mutate(draft)}
        >
          {test.isPending ? "Trying…" : "Dry run"}
        </Button>
      }
    >
      {test.isError && <Failure error={test.error} />}
      {test.data === undefined ? (
        <p className="text-sm text-soft">
          Decides your site's last decisions again, as if this draft had been in force. Nothing is
          written.
        </p>
      ) : (
        <>
          <p role="status" className="text-sm">
            {countText(test.data.tested, "decision")} tried: {test.data.same} the same,{" "}
            <strong>{test.data.changed.length} different</strong>.
          </p>
          {test.data.tested > 0 && <Summary tested={test.data} />}
          <Changed tested={test.data} />
        </>
      )}
    </Card>
  );
}

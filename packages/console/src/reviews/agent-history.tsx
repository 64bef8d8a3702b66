import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { skillTitle } from "../ui/skill-title.js";
import { ShortTime } from "../ui/time.js";
import { moneyText } from "../ui/words.js";

/** The number of earlier decisions next to a review. */
const SHOWN = 5;

/** Earlier decisions about the same agent or platform. */
export function AgentHistory({ agentId, but }: { readonly agentId: string; readonly but: string }) {
  const { site, name, path } = useSite();
  const query = queryText({ agent_id: agentId, limit: String(SHOWN + 1) });
  const history = useQuery({
    queryKey: ["decisions", site.site_key_hash, "history", agentId],
    queryFn: () => call<Page<Api["Decision"]>>("GET", `${path}/decisions?${query}`),
  });
  const before = history.data?.items.filter(({ mandate_id }) => mandate_id !== but).slice(0, SHOWN);
  if (before === undefined) return null;
  if (before.length === 0) return <p className="text-sm text-soft">No earlier requests.</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {before.map(({ decision_id, outcome, skill, amount, evaluated_at }) => (
        <li key={decision_id} className="flex flex-wrap items-center gap-2">
          <Badge word={outcome} />
          <Link to="/$site/decisions/$id" params={{ site: name, id: decision_id }} className="link">
            {skillTitle(skill)} {moneyText(amount)}
          </Link>
          <span className="text-soft">
            <ShortTime at={evaluated_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

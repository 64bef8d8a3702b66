import { Badge } from "../ui/badge.js";
import { Card } from "../ui/page.js";
import type { Draft } from "./policy.js";

/** What its owner hardly meant, while they write it. */
export function Findings({ findings }: Pick<Draft, "findings">) {
  return (
    <Card title="Findings">
      <div role="status" className="text-sm">
        {findings.length === 0 && <p className="text-act">✓ Nothing to complain of.</p>}
        <ul className="flex flex-col gap-2">
          {findings.map(({ level, message }) => (
            <li key={message} className="flex flex-wrap items-baseline gap-2">
              <Badge word={level} look={level === "error" ? "bad" : "warn"} />
              <span className="min-w-0 flex-1 break-words">{message}</span>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

import { Badge } from "../ui/badge.js";
import { Card } from "../ui/page.js";
import type { Draft } from "./policy.js";

/** Errors and warnings about the draft. */
export function Findings({ findings }: Pick<Draft, "findings">) {
  return (
    <Card title="Problems">
      <div role="status" className="text-sm">
        {findings.length === 0 && <p className="text-act">✓ No problems found.</p>}
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

import { Badge } from "../ui/badge.js";
import type { Finding } from "./policy.js";

/** Errors and warnings about the draft, or about one of its rules. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {findings.map(({ level, message }) => (
        <li key={message} className="flex flex-wrap items-baseline gap-2">
          <Badge word={level} look={level === "error" ? "bad" : "warn"} />
          <span className="min-w-0 flex-1 break-words">{message}</span>
        </li>
      ))}
    </ul>
  );
}

import type { Api } from "../api/client.js";
import { Notice } from "../ui/notice.js";
import { countText } from "../ui/words.js";
import { changeText, countsText, problemText } from "./import-text.js";

/** Rows of each kind that are shown. */
const SHOWN_MAX = 20;

/** The lines of a file that are refused, with the reason. */
export function Problems({
  problems,
  count,
}: {
  readonly problems: Api["ImportCheck"]["problems"];
  readonly count: number;
}) {
  return (
    <ul aria-label="Refused lines" className="flex max-h-60 flex-col gap-1 overflow-auto text-sm">
      {problems.map(({ line, problem }) => (
        <li key={line} className="text-bad">
          Line {line}: {problemText(problem)}
        </li>
      ))}
      {count > problems.length && (
        <li className="text-soft">And {countText(count - problems.length, "more line")}.</li>
      )}
    </ul>
  );
}

/** The products that the file does not name. */
function Removals({ check }: { readonly check: Api["ImportCheck"] }) {
  const { removed, removals } = check;
  if (removed === 0) return null;
  const shown = removals.slice(0, SHOWN_MAX);
  const more = removed > shown.length ? `, and ${removed - shown.length} more` : "";
  return (
    <p className="text-bad">
      {countText(removed, "product")} will be removed: {shown.map(({ title }) => title).join(", ")}
      {more}.
    </p>
  );
}

/** What an import would do, as the service says. */
export function CheckResult({
  check,
  replace,
}: {
  readonly check: Api["ImportCheck"];
  readonly replace: boolean;
}) {
  const { changes, problems, refused, added, changed, stopped } = check;
  const shown = changes.slice(0, SHOWN_MAX);
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p role="status" className="font-medium">
        {countsText(check)}
      </p>
      {refused > 0 && <Problems problems={problems} count={refused} />}
      {stopped && <Notice bad>Too many lines are refused. The rest was not read.</Notice>}
      {replace && refused > 0 && (
        <Notice>Nothing is removed while lines are refused. Correct the file first.</Notice>
      )}
      <Removals check={check} />
      <ul aria-label="Changes" className="flex flex-col gap-1">
        {shown.map((change) => (
          <li key={change.line} className="break-words">
            {changeText(change)}
          </li>
        ))}
      </ul>
      {added + changed > shown.length && (
        <p className="text-soft">And {countText(added + changed - shown.length, "more change")}.</p>
      )}
    </div>
  );
}

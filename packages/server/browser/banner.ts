import { type AuditFinding, findingText as textOf } from "@gatehouse/protocol";
import { make, visible } from "./dom.js";
import type { Judgement } from "./judge.js";

/**
 * What the page says of its file; `unconfirmed` holds, by a key nobody has vouched for. With `unread`,
 * the reader pasted something that cannot be used.
 */
export type Verdict = "verifying" | "unconfirmed" | "holds" | "fails" | "unsupported" | "unread";

const KEY_SET_PATH = "/.well-known/audit-jwks.json";

const MARKS: Readonly<Record<Verdict, string>> = {
  verifying: "…",
  unconfirmed: "✓",
  holds: "✓",
  fails: "✗",
  unsupported: "–",
  unread: "–",
};

/** A finding with the record it is about. */
export function findingText(finding: AuditFinding): string {
  return visible(textOf(finding));
}

/** The one place that says the verdict, to people, to screen readers and to programs. */
export class Banner {
  readonly element: HTMLElement;

  constructor() {
    this.element = make("div", "banner");
    this.element.setAttribute("role", "status");
  }

  show(verdict: Verdict, headline: string, ...remarks: readonly string[]): void {
    const mark = make("span", "mark", MARKS[verdict]);
    mark.setAttribute("aria-hidden", "true");
    const lines = remarks.map((remark) => make("p", "", remark));
    this.element.replaceChildren(make("p", "headline", mark, headline), ...lines);
    // Last, so that whoever waits for it finds the words in place.
    document.documentElement.dataset.verdict = verdict;
  }

  showJudgement({ verdict, findings, otherKeys }: Judgement): void {
    const [first] = findings;
    if (verdict === "holds") {
      const said = "Nothing was changed since the key you gave signed it.";
      this.show(verdict, "This export is valid", said);
    } else if (first === undefined) {
      this.show(
        verdict,
        "Nothing was changed since the key named in this file signed it",
        "This page cannot know who owns this key.",
        `Compare it with the \`x\` of the keys at ${KEY_SET_PATH} of the service, or paste them below.`,
      );
    } else {
      const why = otherKeys ? ["The keys you gave are not those that this file names."] : [];
      this.show(verdict, "This export is not valid", findingText(first), ...why);
    }
  }

  showUnsupported(fault: string): void {
    this.show(
      "unsupported",
      "Not verified",
      `This browser could not check the file: ${fault}.`,
      "Chrome 137, Firefox 129 and Safari 17 can, and so can gatehouse audit verify.",
    );
  }
}

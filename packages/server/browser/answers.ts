import type { AuditAnswer, AuditFinding, AuditQuestion } from "@gatehouse/protocol";
import { findingText } from "./banner.js";
import { make, visible } from "./dom.js";
import type { Answers, Judgement } from "./judge.js";

const QUESTIONS: Readonly<Record<AuditQuestion, string>> = {
  integrity: "Was anything changed?",
  completeness: "Is anything missing?",
  anchoring: "Does it match the checkpoint?",
  replay: "Do the decisions follow from the rules?",
};

const WORDS: Readonly<Record<AuditAnswer["verdict"], string>> = {
  holds: "✓ verified",
  fails: "✗ failed",
  not_checked: "– not checked here",
};

/** Findings shown; the first is the one to look at. */
const FINDINGS_SHOWN_MAX = 20;

function answerItems(answers: Answers): HTMLElement[] {
  return Object.entries(QUESTIONS).flatMap(([name, question]) => {
    const { verdict, text } = answers[name as AuditQuestion];
    const term = make("dt", "", make("b", "", name), ` ${question}`);
    const answer = make("dd", verdict, make("b", "", WORDS[verdict]), ` ${visible(text)}`);
    answer.dataset.question = name;
    return [term, answer];
  });
}

function findingItem(finding: AuditFinding): HTMLElement {
  const text = findingText(finding);
  if (finding.seq === null) return make("li", "", text);
  const link = make("a", "", text);
  link.href = `#record-${finding.seq}`;
  return make("li", "", link);
}

/** The verifier stops at the first bad record, and the page says so. */
function stopText(findings: readonly AuditFinding[]): string {
  const bad = findings.find(({ about, seq }) => about === "integrity" && seq !== null);
  return bad === undefined ? "" : `Records after ${bad.seq} were not checked.`;
}

/** The answers to what an auditor asks, and everything that does not hold. */
export function answerSection({ answers, findings }: Judgement): Node {
  const section = make("section", "", make("h2", "", "Results"));
  section.append(make("dl", "answers", ...answerItems(answers)));
  if (findings.length === 0) return section;
  const shown = findings.slice(0, FINDINGS_SHOWN_MAX).map(findingItem);
  section.append(make("h3", "", "Problems found"), make("ol", "findings", ...shown));
  const more = findings.length - shown.length;
  const rest = [more > 0 ? `And ${more} more.` : "", stopText(findings)].join(" ").trim();
  if (rest !== "") section.append(make("p", "", rest));
  return section;
}

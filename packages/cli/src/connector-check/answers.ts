import type { Section } from "./finding.js";
import type { AnswerFault, AnswerRule, Messenger } from "./messenger.js";
import type { Report } from "./report.js";

const RULES: readonly (readonly [AnswerRule, Section, string])[] = [
  ["status", "How it works", "Every message that is right is answered with 200."],
  ["time", "How it works", "Every answer comes within its time limit."],
  ["signature", "Signatures", "Every answer is signed with the id of its request."],
  ["shape", "How it works", "Every answer has the fields of the contract."],
  ["currency", "Quote", "Every quote is in the requested currency."],
  ["lines", "Quote", "Every quote has the requested lines in their order."],
  ["options", "Quote", "Every delivery option has its own id."],
  ["sum", "Quote", "Every total is the exact sum."],
];

const SECTIONS: Readonly<Record<AnswerFault["type"], Section>> = {
  quote: "Quote",
  reserve: "Reserve",
  release: "Release",
  order: "Order",
};

/** Reports what was noted about all answers of the run. */
export function reportAnswers(report: Report, { faults, answered }: Messenger): void {
  for (const [rule, section, check] of RULES) {
    const fault = faults.get(rule);
    if (fault !== undefined) {
      const { type, problem, exchange } = fault;
      const where = rule === "shape" ? SECTIONS[type] : section;
      report.add({ check, section: where, state: "wrong", problem, exchange });
    } else if (answered.size > 0) {
      report.add({ check, section, state: "good" });
    } else {
      const problem = "No answer could be used.";
      report.add({ check, section, state: "unchecked", problem });
    }
  }
}

import { markdownText } from "./text.js";

/** Characters of an owner's answer to a question. */
export const ANSWER_CHARS_MAX = 1000;

/** A question that agents asked about a skill, with the answer that the owner published. */
export interface PublishedAnswer {
  readonly skill: string;
  /** The words of the first caller who asked. */
  readonly question: string;
  readonly answer: string;
}

/** The published answers of one skill, in the order they were given. */
export function answersOf(
  answers: readonly PublishedAnswer[],
  skill: { readonly id: string },
): readonly PublishedAnswer[] {
  return answers.filter((answer) => answer.skill === skill.id);
}

/** Questions with their answers as lines of Markdown, below the line of their skill. */
export function answerLines(answers: readonly PublishedAnswer[]): readonly string[] {
  return answers.map(
    ({ question, answer }) =>
      `  - Question: ${markdownText(question)} Answer: ${markdownText(answer)}`,
  );
}

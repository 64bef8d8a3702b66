import { marked } from "marked";

/** The text of inline tokens, with `code` as one word. */
function inline(tokens) {
  return tokens
    .map((token) => {
      if (token.type === "codespan") return "code";
      if (token.type === "br") return " ";
      if (token.type === "html" || token.type === "image") return "";
      return token.tokens === undefined ? (token.raw ?? "") : inline(token.tokens);
    })
    .join("");
}

function* blocks(tokens) {
  for (const token of tokens) {
    if (token.type === "paragraph" || token.type === "heading" || token.type === "text") {
      yield { text: inline(token.tokens ?? [token]), isHeading: token.type === "heading" };
    } else if (token.type === "table") {
      for (const cell of [...token.header, ...token.rows.flat()]) {
        yield { text: inline(cell.tokens), isHeading: false };
      }
    } else if (token.type === "list") {
      for (const item of token.items) yield* blocks(item.tokens);
    } else if (token.type === "blockquote") yield* blocks(token.tokens);
  }
}

const SENTENCE_END = /(?<=[.!?:][)”"]?)\s+(?=[A-Z“"(*]|code\b)/;

/** The sentences of a text. */
export function sentencesIn(text) {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.split(SENTENCE_END).filter((sentence) => sentence !== "");
}

/** The sentences of a document. Code is not among them. */
export function sentencesOf(markdown) {
  const sentences = [];
  for (const { text, isHeading } of blocks(marked.lexer(markdown))) {
    if (isHeading) sentences.push(text.replace(/\s+/g, " ").trim());
    else sentences.push(...sentencesIn(text));
  }
  return sentences;
}

import { type Token, Tokenizer } from "parse5";

/** Elements whose content is not text for readers. */
const HIDDEN = new Set(["script", "style", "template", "noscript", "iframe"]);
const SPACES = /[\s\u00a0]+/g;

/**
 * The text of a piece of HTML, on one line. A tokenizer and no tree: the time it takes grows with the length alone,
 * whatever a hostile feed nests.
 */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html.replaceAll(SPACES, " ").trim();
  let text = "";
  let hiddenIn: string | undefined;
  const add = ({ chars }: Token.CharacterToken) => {
    if (hiddenIn === undefined) text += chars;
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: add,
      onNullCharacter: () => undefined,
      onWhitespaceCharacter: add,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
      onStartTag: ({ tagName, selfClosing }) => {
        if (hiddenIn === undefined && HIDDEN.has(tagName) && !selfClosing) hiddenIn = tagName;
        text += " ";
      },
      onEndTag: ({ tagName }) => {
        if (tagName === hiddenIn) hiddenIn = undefined;
        text += " ";
      },
    },
  );
  tokenizer.write(html, true);
  return text.replaceAll(SPACES, " ").trim();
}

/** Cuts a text to a number of characters, with a mark where it was cut. */
export function cutText(text: string, charsMax: number): string {
  const characters = [...text];
  return characters.length <= charsMax ? text : `${characters.slice(0, charsMax - 1).join("")}…`;
}

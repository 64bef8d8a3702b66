/** The element the page was written with. One that is missing is a file that was taken apart. */
export function slot(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page lacks #${id}`);
  return found;
}

/** An element with its content. Strings become text nodes: words of records are never markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  element.append(...content);
  return element;
}

export function setAttributes(
  element: Element,
  attributes: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/**
 * Text with what cannot be seen, or would turn the text around, written as JSON escapes: nobody
 * shall read "approved" where the record says something else.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      const unit = character.charCodeAt(i).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join(""),
  );
}

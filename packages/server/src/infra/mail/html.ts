import { htmlText, LIGHT_COLORS, PLAIN_SHAPES } from "@gatehouse/protocol";

const { ink, soft, line, back, card, act, "act-ink": actInk } = LIGHT_COLORS;
const { font, radius, large } = PLAIN_SHAPES;

/** A line such as `Amount:  60.50 EUR`, and those below it that continue it. */
const FACT = /^([A-Z][\w ]{0,20}): +(\S.*)$/;

/** Writes about the installation. */
const PRODUCT = "Gatehouse";

/** An address has no space to break at. */
const WRAPPED = ";overflow-wrap:anywhere";

/** Mail readers drop style sheets, so each element has its own style. */
const styled = (tag: string, style: string, body: string) =>
  `<${tag} style="${style}">${body}</${tag}>`;

function factRows(lines: readonly string[]): string {
  const cell = (body: string, color: string, wrap = ";overflow-wrap:normal") =>
    styled("td", `padding:0 16px 0 0;color:${color};vertical-align:top${wrap}`, body);
  const rows = lines.map((text) => {
    const [, name = "", value = text.trim()] = FACT.exec(text) ?? [];
    return `<tr>${cell(htmlText(name), soft)}${cell(htmlText(value), ink, WRAPPED)}</tr>`;
  });
  return `<table role="presentation" cellspacing="0" cellpadding="0">${rows.join("")}</table>`;
}

const button = (url: string, isConsole: boolean) =>
  styled(
    "a",
    `display:inline-block;padding:10px 18px;border-radius:${radius};background:${act};color:${actInk};text-decoration:none`,
    isConsole ? "Open in Gatehouse" : "Show the order",
  ).replace("<a ", `<a href="${htmlText(url)}" `);

/** One block of a text. Only an address of this installation, alone in its block, becomes a link. */
function blockHtml(block: string, baseUrl: string): string {
  const lines = block.split("\n");
  const [first = ""] = lines;
  const isOwnLink = lines.length === 1 && first.startsWith(`${baseUrl}/`) && !/\s/.test(first);
  if (isOwnLink) return `<p>${button(first, first.startsWith(`${baseUrl}/console`))}</p>`;
  if (FACT.test(first)) return factRows(lines);
  return `<p>${lines.map(htmlText).join("<br>")}</p>`;
}

/** The words of a mail, and what stands above them for those who see it as a page. */
export interface MailWords {
  readonly subject: string;
  readonly text: string;
  /** The name of the shop; undefined if the mail is about the installation. */
  readonly shop?: string | undefined;
  /** The sum that it is about, as people write it. */
  readonly amount?: string | undefined;
}

/** Who writes: a letter on a tile, because a picture would have to be loaded, and the name. */
function letterhead(name: string): string {
  const [letter = ""] = name.toUpperCase();
  const tile = `width:36px;height:36px;border-radius:${radius};background:${act};color:${actInk};font-weight:600;text-align:center`;
  const cells = [
    styled("td", tile, htmlText(letter)),
    styled("td", `padding-left:12px;font-weight:600${WRAPPED}`, htmlText(name)),
  ];
  return `<table role="presentation" cellspacing="0" cellpadding="0"><tr>${cells.join("")}</tr></table>`;
}

/**
 * The same words as the plain text of a mail, below the name of the shop and the sum. Everything in it is escaped, and
 * nothing is loaded.
 */
export function mailHtml(
  { subject, text, shop = PRODUCT, amount }: MailWords,
  baseUrl: string,
): string {
  const sum =
    amount === undefined
      ? []
      : [styled("p", `margin:16px 0 0;font:600 ${large}`, htmlText(amount))];
  const blocks = text
    .trim()
    .split(/\n{2,}/)
    .map((block) => blockHtml(block, baseUrl));
  const inner = styled(
    "div",
    `max-width:560px;margin:0 auto;padding:24px;border:1px solid ${line};border-radius:${radius};background:${card}${WRAPPED}`,
    [letterhead(shop), ...sum, ...blocks].join("\n"),
  );
  const body = styled(
    "body",
    `margin:0;padding:24px;background:${back};color:${ink};font:${font}`,
    inner,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${htmlText(subject)}</title></head>${body}</html>`;
}

/** What a guide tells people to do in the console: the labels that they look for, in order. */
export interface ConsoleSteps {
  readonly guide: string;
  readonly line: number;
  readonly section: string;
  readonly steps: readonly Step[];
}

export interface Step {
  /** "first": open the first entry of the list. "confirm": answer what the page asks. "sites": the list of sites. */
  readonly kind: "look" | "choose" | "first" | "confirm" | "sites";
  /** Pages and parts of pages, from left to right. */
  readonly labels: readonly string[];
}

const CODE = /^```.*?^```$/gms;
/** From here on a paragraph tells what to do elsewhere. */
const ELSEWHERE = /On the\s+command\s+line|`gatehouse |Programs\s+call/;
const STEP =
  /\*\*([^*]+)\*\*|\b(?:choose|open) an? (?:agent|order|platform)\b|\band confirm\b|\bname of the current site\b/gi;
const CHOSEN = /\b(?:choose|chooses|or)\s+$/;

function stepsIn(text: string): Step[] {
  return [...text.matchAll(STEP)].map(({ 0: words, 1: label, index }) => {
    if (words === "and confirm") return { kind: "confirm", labels: [] };
    if (words === "name of the current site") return { kind: "sites", labels: [] };
    if (label === undefined) return { kind: "first", labels: [] };
    const labels = label.split("→").map((part) => part.replace(/\s+/g, " ").trim());
    return { kind: CHOSEN.test(text.slice(0, index)) ? "choose" : "look", labels };
  });
}

/** The steps in a guide: each paragraph that says “In the console”, with the list after its colon. */
export function consoleSteps(guide: string, markdown: string): ConsoleSteps[] {
  const prose = markdown.replace(CODE, (code) => code.replace(/[^\n]/g, ""));
  const found: ConsoleSteps[] = [];
  let section = "";
  let line = 1;
  let continues = false;
  for (const block of prose.split(/(?<=\n)\n+/)) {
    const heading = /^#+ (.*)$/m.exec(block)?.[1];
    if (heading !== undefined) section = heading;
    const at = block.search(/\bIn the console\b/);
    const isList = continues && /^\d\. /.test(block);
    if (at >= 0 || isList) {
      const [told = ""] = block.slice(Math.max(at, 0)).split(ELSEWHERE);
      const steps = stepsIn(told.replace(/^In the console(?:\*\*|:\*\*)/, ""));
      if (steps.length > 0) found.push({ guide, line, section, steps });
    }
    continues = at >= 0 && (/:(?:\*\*)?\s*$/.test(block) || heading !== undefined);
    if (isList) continues = false;
    line += block.split("\n").length;
  }
  return found;
}

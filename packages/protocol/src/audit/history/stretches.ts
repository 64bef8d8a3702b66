import { Findings } from "../findings.js";
import { History } from "./history.js";
import type { Piece } from "./piece.js";

/** Steps of parts that wait for the part before them; files are often given in another order. */
const WAITING_STEPS_MAX = 50_000;

/** What came of comparing. */
export interface Compared {
  readonly findings: Findings;
  /** Records that name an earlier one which is not here. */
  readonly before: number;
  /** Decisions that were forgotten before everything was compared with them. */
  readonly forgotten: number;
}

/** Parts that follow each other. */
class Stretch {
  readonly firstSeq: number;
  nextSeq: number;
  private readonly history: History;
  private readonly findings: Findings;
  private open = true;

  constructor({ beginning, firstSeq }: Piece, findings: Findings) {
    this.history = new History(beginning);
    this.findings = findings;
    this.firstSeq = firstSeq;
    this.nextSeq = firstSeq;
  }

  goesOnWith({ firstSeq }: Piece): boolean {
    return this.open && firstSeq === this.nextSeq;
  }

  take({ nextSeq, whole, steps }: Piece): void {
    for (const step of steps) {
      const fault = this.history.take(step);
      if (fault !== undefined) this.findings.add("replay", fault, step.seq);
    }
    this.nextSeq = nextSeq;
    this.open = whole;
  }

  get counts() {
    const { before, forgotten } = this.history;
    return { before, forgotten };
  }
}

/**
 * Compares the records of one log with each other, in whatever order its parts come. Behind a gap
 * everything begins anew: what happened in it nobody knows.
 */
export class Stretches {
  private readonly chain: string;
  private readonly findings: Findings;
  private readonly waiting = new Map<number, Piece>();
  private waitingSteps = 0;
  private current: Stretch | undefined;
  private readonly ended: { before: number; forgotten: number }[] = [];
  private readonly waitingMax: number;

  constructor(chain: string, waitingMax = WAITING_STEPS_MAX) {
    this.chain = chain;
    this.waitingMax = waitingMax;
    this.findings = new Findings(chain);
  }

  take(piece: Piece): void {
    if (this.wasTaken(piece)) return;
    this.waiting.set(piece.firstSeq, piece);
    this.waitingSteps += piece.steps.length;
    if (piece.firstSeq === 0) this.begin(piece);
    this.goOn();
    if (this.waitingSteps <= this.waitingMax) return;
    this.begin(this.inOrder()[0] as Piece);
    this.goOn();
  }

  /** What may be said of the parts taken so far. */
  result(): Compared {
    const findings = new Findings(this.chain);
    for (const { text, seq } of this.findings.list) findings.add("replay", text, seq);
    const stretches: Stretch[] = [];
    for (const piece of this.inOrder()) {
      if (stretches.at(-1)?.goesOnWith(piece) !== true)
        stretches.push(new Stretch(piece, findings));
      stretches.at(-1)?.take(piece);
    }
    const own = this.current === undefined ? [] : [this.current.counts];
    const all = [...this.ended, ...own, ...stretches.map(({ counts }) => counts)];
    const sum = (name: "before" | "forgotten") => all.reduce((total, one) => total + one[name], 0);
    return { findings, before: sum("before"), forgotten: sum("forgotten") };
  }

  /** A part that is taken twice is compared once. Another check reports the duplicate. */
  private wasTaken({ firstSeq }: Piece): boolean {
    const { firstSeq: from = 0, nextSeq: to = 0 } = this.current ?? {};
    return this.waiting.has(firstSeq) || (firstSeq >= from && firstSeq < to);
  }

  private inOrder(): readonly Piece[] {
    return [...this.waiting.values()].sort((a, b) => a.firstSeq - b.firstSeq);
  }

  private begin(piece: Piece): void {
    if (this.current !== undefined) this.ended.push(this.current.counts);
    this.current = new Stretch(piece, this.findings);
  }

  /** Follows the parts that wait, as far as they go on from here. */
  private goOn(): void {
    for (;;) {
      const next = this.waiting.get(this.current?.nextSeq ?? -1);
      if (next === undefined || this.current?.goesOnWith(next) !== true) return;
      this.waiting.delete(next.firstSeq);
      this.waitingSteps -= next.steps.length;
      this.current.take(next);
    }
  }
}

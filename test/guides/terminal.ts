import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Env, Finished } from "../gatehouse-process.ts";

const program = fileURLToPath(new URL("./terminal-process.mjs", import.meta.url));

interface Message extends Finished {
  readonly id: number;
  readonly ready?: boolean;
}

export interface Line {
  readonly args: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  /** What is typed where a question has these words. */
  readonly answers: readonly (readonly [words: string, answer: string])[];
}

/** Runs commands of a checkout, one after the other, beside one service at most. */
export class Terminal {
  private readonly child: ChildProcess;
  private count = 0;
  private readonly waiting = new Map<number, (message: Message) => void>();
  /** The end of what serves now. */
  private serving: Promise<Finished> | undefined;

  private constructor(child: ChildProcess) {
    this.child = child;
    child.on("message", (message: Message) => this.waiting.get(message.id)?.(message));
    child.on("exit", (code) => {
      for (const [id, resolve] of this.waiting) {
        resolve({ id, code: code ?? -1, out: "", err: "The process of all commands has ended.\n" });
      }
    });
  }

  static async open(checkout: string, env: Env): Promise<Terminal> {
    const built = join(checkout, "packages/cli/dist/program.js");
    const child = fork(program, [built], { env: { ...env }, execArgv: [], cwd: checkout });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the commands of ${built} cannot be loaded: ended with ${code}`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(child, "message"), ended]);
    return new Terminal(child);
  }

  /** Runs a command to its end; one that serves, until it is ready. */
  run(line: Line): Promise<Finished> {
    this.count += 1;
    const id = this.count;
    return new Promise((resolve) => {
      let ended: (finished: Finished) => void = () => undefined;
      this.waiting.set(id, (message) => {
        const { code, out, err } = message;
        if (message.ready) {
          this.serving = new Promise((end) => {
            ended = end;
          });
          return resolve({ code: 0, out, err });
        }
        this.waiting.delete(id);
        ended({ code, out, err });
        resolve({ code, out, err });
      });
      this.child.send({ id, ...line });
    });
  }

  /** Ctrl-C in the terminal that serves, if one does. */
  async stopServing(): Promise<void> {
    if (this.serving === undefined) return;
    this.child.send({ stop: true });
    await this.serving;
    this.serving = undefined;
  }

  close(): void {
    this.child.disconnect();
  }
}

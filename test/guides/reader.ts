import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Env, Finished } from "../gatehouse-process.ts";
import type { Command } from "./blocks.ts";
import { ownArguments, type PlainLine, readLine } from "./shell.ts";
import { ANSWERS, type Here, PLACEHOLDERS, SERVED, SUBSTITUTIONS } from "./tables.ts";
import type { Terminal } from "./terminal.ts";

/** What all readers have in common. */
export interface SharedSetup {
  readonly terminal: Terminal;
  readonly here: Here;
  /** Of a shell that was just opened. */
  readonly env: Env;
  /** Substitutions that something was changed by. */
  readonly used: Set<unknown>;
}

export interface Ran extends Finished {
  /** What was run in place of what the guide says. */
  readonly typed: string;
}

/** Somebody who follows guides: in a folder, with a shell, and with all that was printed so far. */
export class Reader {
  readonly folder: string;
  private readonly shared: SharedSetup;
  private readonly exported: Record<string, string>;
  private readonly variables: Record<string, string>;
  private readonly printed: string[];
  /** What serves, in a terminal of its own: what was typed there, and what had been exported by then. */
  private serving: { readonly typed: string; readonly exported: Env } | undefined;

  constructor(shared: SharedSetup, folder: string, before?: Reader) {
    this.shared = shared;
    this.folder = folder;
    this.exported = { ...before?.exported };
    this.variables = { ...before?.variables };
    this.printed = [...(before?.printed ?? [])];
    this.serving = before?.serving;
  }

  /** Goes on in a copy of the folder of another, whose service was stopped. */
  async goOn(): Promise<void> {
    const { code, err } = await this.runTyped(this.serving?.typed ?? "npx gatehouse serve");
    if (code !== 0) throw new Error(`it cannot be served again: ${err}`);
  }

  /** A text of a guide with the addresses of here. */
  located(text: string): string {
    return SUBSTITUTIONS.reduce((located, one) => {
      const changed = located.replace(one.from, one.to(this.shared.here));
      if (changed !== located) this.shared.used.add(one);
      return changed;
    }, text);
  }

  /** The same, with what was printed before. */
  private filled(text: string): string {
    let filled = this.located(text);
    for (const [placeholder, pattern] of PLACEHOLDERS) {
      if (!filled.includes(placeholder)) continue;
      const value = this.lastPrinted(pattern);
      if (value !== undefined) filled = filled.replaceAll(placeholder, value);
    }
    return filled;
  }

  /** Of the newest output that has one, the first: where a list is shown, people take its top. */
  private lastPrinted(pattern: RegExp): string | undefined {
    for (const text of this.printed.toReversed()) {
      const match = pattern
        .exec(text)
        ?.slice(1)
        .find((part) => part !== undefined);
      if (match !== undefined) return match;
    }
    return undefined;
  }

  async run({ text }: Command): Promise<Ran> {
    const typed = this.filled(text);
    const ran = await this.runTyped(typed);
    this.printed.push(ran.out + ran.err);
    return { ...ran, typed };
  }

  private async runTyped(typed: string): Promise<Finished> {
    if (/…|<\w+>/.test(typed)) {
      return { code: -1, out: "", err: "Nothing printed so far says what to put in.\n" };
    }
    const line = readLine(typed);
    const args = line === undefined ? undefined : ownArguments(line.words);
    if (line !== undefined && args !== undefined) return this.runOwn(typed, line, args);
    if (line === undefined || !this.keeps(line)) return this.inShell(typed);
    return { code: 0, out: "", err: "" };
  }

  /** Whether it is about variables of the shell alone. */
  private keeps({ words, set }: PlainLine): boolean {
    const [command, ...rest] = words;
    if (command === undefined) Object.assign(this.variables, set);
    if (command === "unset") for (const name of rest) delete this.exported[name];
    if (command !== "export") return command === undefined || command === "unset";
    for (const word of rest) {
      const [name = "", ...value] = word.split("=");
      this.exported[name] = value.join("=");
    }
    return true;
  }

  private async runOwn(
    typed: string,
    { set, into }: PlainLine,
    args: readonly string[],
  ): Promise<Finished> {
    const { terminal, here, env } = this.shared;
    const serves = args[0] === "serve" || args[0] === "init";
    if (serves) await terminal.stopServing();
    if (serves) {
      this.serving = { exported: this.serving?.exported ?? { ...this.exported }, typed };
    }
    const served = serves && this.isTrying() ? SERVED.map(([name, to]) => [name, to(here)]) : [];
    const exported = serves
      ? { ...Object.fromEntries(served), ...this.serving?.exported }
      : this.exported;
    const all = { ...env, ...exported, ...set };
    const answers = ANSWERS.map(([words, answer]) => [words, answer(here)] as const);
    const finished = await terminal.run({ args, env: all, cwd: this.folder, answers });
    if (into === undefined) return finished;
    writeFileSync(join(this.folder, into), finished.out);
    return { ...finished, out: "" };
  }

  /** Whether it is served in development: in production nothing may be on this machine. */
  private isTrying(): boolean {
    const file = join(this.folder, "gatehouse.env");
    return existsSync(file) && /^GATEHOUSE_MODE=development$/m.test(readFileSync(file, "utf8"));
  }

  private async inShell(typed: string): Promise<Finished> {
    const set = Object.entries(this.variables).map(([name, value]) => `${name}='${value}'\n`);
    const child = spawn("sh", ["-c", set.join("") + typed], {
      cwd: this.folder,
      env: { ...this.shared.env, ...this.exported },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.err += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...output };
  }
}

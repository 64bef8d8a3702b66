import type { Finding } from "@gatehouse/server";
import type { Command } from "commander";
import { runnable } from "../command-name.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, type Terminal } from "../terminal.js";

const MARKS: Readonly<Record<Finding["verdict"], string>> = {
  good: "✓",
  warning: "!",
  failure: "✗",
};

export function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("check this installation and what it depends on; changes nothing")
    .option("--full", "check the whole SQLite file for damage, even if it is large")
    .option("--json", "print JSON")
    .action(async ({ json, full }: { json?: boolean; full?: boolean }) => {
      const { doctor } = await import("@gatehouse/server");
      const findings = await doctor(terminal.env, { full: full === true });
      if (json) {
        // Scripts read this JSON, so its member keeps its name.
        const shown = findings.map(({ part, verdict, message }) => ({
          part,
          verdict,
          says: message,
        }));
        terminal.out(plainJson({ findings: shown }));
      } else {
        for (const { part, verdict, message } of findings)
          terminal.out(runnable(`${MARKS[verdict]} ${part}: ${message}`));
      }
      const failures = findings.filter(({ verdict }) => verdict === "failure").length;
      if (failures === 0) return;
      throw new CommandError(
        `${failures} of ${counted(findings.length, "check")} failed.`,
        EXIT.failed,
        "Fix the lines marked ✗, then run `gatehouse doctor` again.",
      );
    });
}

import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { plainJson, type Terminal } from "../terminal.js";

interface Accepted {
  readonly accepted_at: string;
  readonly last_seen_at: string;
}

export function clockCommands(program: Command, terminal: Terminal): void {
  const clock = program.command("clock").description("the clock of this installation");
  clock
    .command("accept")
    .description("accept the current time after the clock was ahead")
    .requiredOption("--reason <text>", "why; it stays in the installation's log")
    .option("--json", "print JSON")
    .action(async ({ reason, json }: { reason: string; json?: boolean }) => {
      const client = adminClient(terminal);
      const done = await client.call<Accepted>("POST", "/v1/admin/clock/accept", { reason });
      if (json) return terminal.out(plainJson(done));
      terminal.out(
        `The current time is ${done.accepted_at}. The later time ${done.last_seen_at} is now ignored.`,
      );
      terminal.out("Mandates, checkouts and reviews can be approved again.");
    });
}

import type { Command } from "commander";
import { counted } from "../counted.js";
import type { Terminal } from "../terminal.js";

interface BackupFlags {
  out?: string;
  withoutSecretsKey?: boolean;
  json?: boolean;
}

export function backupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("copy this installation, running or not, into one private file")
    .option("--out <file>", "where to write it (a dated name in this folder)")
    .option("--without-secrets-key", "leave the secrets key out; the restore then needs it")
    .option("--json", "print the report as JSON")
    .action(async ({ out, withoutSecretsKey, json }: BackupFlags) => {
      const { backup } = await import("@gatehouse/server");
      const report = await backup(terminal.env, {
        out,
        withoutSecretsKey,
        onRows: (rows) => terminal.err(counted(rows, "row")),
      });
      if (json) return terminal.out(JSON.stringify(report, null, 2));
      terminal.out(
        `Wrote ${counted(report.rows, "row")} of ${counted(report.tables, "table")} to ${report.file}`,
      );
      terminal.out(
        report.secretsKey
          ? "It holds the secrets key: whoever has it can sign as your sites. Keep it private."
          : "It does not hold the secrets key: keep that elsewhere, a restore needs it.",
      );
    });

  program
    .command("restore")
    .argument("<file>", "a file made by `gatehouse backup`")
    .description("fill an empty data folder or database from a backup")
    .option("--json", "print the report as JSON")
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { restore } = await import("@gatehouse/server");
      const report = await restore(terminal.env, file);
      if (json) return terminal.out(JSON.stringify(report, null, 2));
      terminal.out(`Restored ${counted(report.rows, "row")} of ${report.createdAt}.`);
      terminal.out(
        report.secretsKey === "missing"
          ? "The backup has no secrets key: set GATEHOUSE_SECRETS_KEY to the original before starting."
          : "Start it with `gatehouse serve`; a new admin token is made unless you set one.",
      );
    });
}

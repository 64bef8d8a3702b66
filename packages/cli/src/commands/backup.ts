import type { Command } from "commander";
import { counted } from "../counted.js";
import { SETTINGS_FILE } from "../init/settings-file.js";
import { PROGRESS, type ProgressFlags, withProgress } from "../progress.js";
import { plainJson, type Terminal } from "../terminal.js";

interface BackupFlags extends ProgressFlags {
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
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async ({ out, withoutSecretsKey, progress, json }: BackupFlags) => {
      const { backup } = await import("@gatehouse/server");
      const report = await withProgress(terminal, { progress }, (show) =>
        backup(terminal.env, {
          out,
          withoutSecretsKey,
          onRows: (done) => show({ unit: "rows", done }),
        }),
      );
      const { file, rows, tables, secretsKey: secrets_key } = report;
      if (json) return terminal.out(plainJson({ file, rows, tables, secrets_key }));
      terminal.out(`Wrote ${counted(rows, "row")} of ${counted(tables, "table")} to ${file}`);
      terminal.out(
        secrets_key
          ? "It holds the secrets key: whoever has it can sign as your sites. Keep it private."
          : "It does not hold the secrets key: keep that elsewhere, a restore needs it.",
      );
    });

  program
    .command("restore")
    .argument("<file>", "a file made by `gatehouse backup`")
    .description("fill an empty data folder or database from a backup")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async (file: string, { json, progress }: ProgressFlags & { json?: boolean }) => {
      const { restore } = await import("@gatehouse/server");
      const report = await withProgress(terminal, { progress }, (show) =>
        restore(terminal.env, file, {
          onChecked: (done) => show({ unit: "rows checked", done }),
          onRows: (done, total) => show({ unit: "rows written", done, total }),
        }),
      );
      const { rows, createdAt: created_at, secretsKey: secrets_key } = report;
      if (json) return terminal.out(plainJson({ rows, created_at, secrets_key }));
      terminal.out(`Restored ${counted(rows, "row")} of ${created_at}.`);
      terminal.out(
        secrets_key === "missing"
          ? "The backup has no secrets key: set GATEHOUSE_SECRETS_KEY to the original before starting."
          : "Start it with `gatehouse serve`; a new admin token is made unless you set one.",
      );
      terminal.out(
        `Settings are not in a backup: bring ${SETTINGS_FILE} or your GATEHOUSE_ variables along.`,
      );
    });
}

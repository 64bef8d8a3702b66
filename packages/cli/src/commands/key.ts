import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { type Terminal, table } from "../terminal.js";

interface KeyBody {
  readonly kid: string;
  readonly purpose: string;
  readonly state: string;
  readonly listed_until: string | null;
}

interface Flags {
  readonly json?: boolean;
}

export function keyCommands(program: Command, terminal: Terminal): void {
  const key = program.command("key").description("signing keys of this installation");
  key
    .command("list")
    .description("list the keys verifiers can see")
    .option("--json", "print JSON")
    .action(async ({ json }: Flags) => {
      const { items } = await adminClient(terminal).call<{ items: KeyBody[] }>(
        "GET",
        "/v1/admin/keys",
      );
      if (json) return terminal.out(JSON.stringify({ items }, null, 2));
      const rows = items.map(({ purpose, state, kid, listed_until }) => ({
        purpose,
        state,
        kid,
        listed_until: listed_until ?? "",
      }));
      terminal.out(table(rows));
    });

  key
    .command("rotate")
    .argument("<purpose>", "card (discovery documents) or audit (the audit log)")
    .description("put the announced key to work and announce another")
    .option(
      "--force",
      "do not wait for verifiers to learn the announced key: the current one is lost",
    )
    .option("--json", "print JSON")
    .action(async (purpose: string, { force = false, json }: Flags & { force?: boolean }) => {
      const path = "/v1/admin/keys/rotate";
      const done = await adminClient(terminal).call<{ kid: string; retired: string }>(
        "POST",
        path,
        {
          purpose,
          force,
        },
      );
      if (json) return terminal.out(JSON.stringify(done, null, 2));
      terminal.out(`${done.kid} signs from now on.`);
      terminal.out(`${done.retired} stays listed, so that what it signed keeps verifying.`);
    });
}

import type { Command } from "commander";
import { adminClient, RefusedError } from "../admin-client.js";
import { choiceArgument } from "../choice.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface KeyBody {
  readonly kid: string;
  readonly purpose: string;
  readonly state: string;
  readonly listed_until: string | null;
}

interface Flags {
  readonly json?: boolean;
}

/** The only conflict of a rotation: the next key is not known long enough. The hint says how long to wait. */
function tooEarly(purpose: string, error: unknown): unknown {
  if (!(error instanceof RefusedError) || error.reason !== "conflict") return error;
  const says = `The next ${purpose} key was announced too recently, so verifiers may not know it yet.`;
  const hint = `${error.hint} If the current key is lost, use --force.`;
  return new CommandError(says, EXIT.failed, hint);
}

export function keyCommands(program: Command, terminal: Terminal): void {
  const key = program.command("key").description("signing keys of this installation");
  key
    .command("list")
    .description("list the keys that verifiers can see")
    .option("--json", "print JSON")
    .action(async ({ json }: Flags) => {
      const { items } = await adminClient(terminal).call<{ items: KeyBody[] }>(
        "GET",
        "/v1/admin/keys",
      );
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map(({ purpose, state, kid, listed_until }) => ({
        purpose,
        state,
        kid,
        listed_until: listed_until ?? "",
      }));
      terminal.out(table(rows, "No keys. Find out why: gatehouse doctor"));
    });

  key
    .command("rotate")
    .addArgument(
      choiceArgument("<purpose>", "what the key signs: discovery documents, or the audit log", [
        "card",
        "audit",
      ]),
    )
    .description("start using the announced key and announce a new one")
    .option(
      "--force",
      "rotate now because the current key is lost; verifiers may not know the next key yet",
    )
    .option(
      "--stolen",
      "replace both keys and stop listing them; what they signed no longer verifies",
    )
    .option("--json", "print JSON")
    .action(async (purpose: string, flags: Flags & { force?: boolean; stolen?: boolean }) => {
      const { force = false, stolen = false, json } = flags;
      const body = { purpose, force, stolen };
      const client = adminClient(terminal);
      type Rotated = { kid: string; retired: string };
      const done = await client
        .call<Rotated>("POST", "/v1/admin/keys/rotate", body)
        .catch((error: unknown) => {
          throw tooEarly(purpose, error);
        });
      if (json) return terminal.out(plainJson(done));
      terminal.out(`${done.kid} is the signing key from now on.`);
      terminal.out(
        stolen
          ? `${done.retired} is no longer listed. What it signed stops verifying within minutes.`
          : `${done.retired} stays listed, so what it signed still verifies.`,
      );
    });
}

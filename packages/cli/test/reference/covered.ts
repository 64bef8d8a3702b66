import type { Stage } from "./stage.ts";

type Args = readonly string[];

/** Arguments after the command's own name; made anew for every run, since many may be used once. */
type ArgsOf = (at: Stage) => Args | Promise<Args>;

interface Fails {
  readonly args: ArgsOf;
  /** As the reference page lists them: not done, not understood, cannot start, no answer. */
  readonly code: 1 | 2 | 3 | 4;
  /** What happened, on standard error. */
  readonly says: RegExp;
  /** What to do next, behind it. */
  readonly next: RegExp;
  /** Settings that are other than those of the stage. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Works {
  readonly args: ArgsOf;
  /** What people read on standard output. */
  readonly says: RegExp;
  /** Members programs find there with `--json`; of every line, where each line is an object. */
  readonly json: object;
  readonly jsonLines?: true;
  readonly env?: (at: Stage) => Promise<Readonly<Record<string, string>>>;
  readonly fails: Fails;
}

/** A command that serves until it is stopped: its success has a test of its own. */
interface Serves {
  /** A test file below the repository's root, and the test in it. */
  readonly worksIn: readonly [file: string, test: string];
  readonly fails: Fails;
}

/** Commands by their full name, without `gatehouse`. */
export type Coverage = Readonly<Record<string, Works | Serves>>;

/** What every command says of a site that nobody has. */
export const noSite = (...rest: Args): Fails => ({
  args: () => ["none.example.com", ...rest],
  code: 1,
  says: /^There is no site for none\.example\.com\.$/m,
  next: /`gatehouse site list` lists the sites/,
});

/** What every command says where no service answers. */
export const noService = (args: ArgsOf): Fails => ({
  args,
  code: 4,
  says: /^Gatehouse cannot be reached at http:\/\/127\.0\.0\.1:2 \(ECONNREFUSED\)\.$/m,
  next: /Start it with `gatehouse serve`, or set GATEHOUSE_BASE_URL/,
  env: { GATEHOUSE_BASE_URL: "http://127.0.0.1:2" },
});

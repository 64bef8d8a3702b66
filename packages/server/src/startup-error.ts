/**
 * Why the installation cannot start: one sentence that says what to do. Thrown while composing,
 * caught by `main` and the CLI, which print it and leave with {@link EXIT_CANNOT_START}.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** Exit code of a command whose installation cannot start. */
export const EXIT_CANNOT_START = 3;

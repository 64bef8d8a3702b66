/**
 * Why the installation cannot start, with what to do. `main` and the CLI print it and exit with a separate
 * code.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";
  /** The variable that is wrong, if it is one. */
  readonly setting: string | undefined;

  constructor(message: string, { setting, ...options }: ErrorOptions & { setting?: string } = {}) {
    super(message, options);
    this.setting = setting;
  }
}

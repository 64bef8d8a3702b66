/** A mistake in a source file of the server. */
export interface Bug {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

export function bundleSimulation(bug?: Bug): Promise<string>;

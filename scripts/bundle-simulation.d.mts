/** Bundles the simulation and the source of the service into one program, and returns its path. */
export function bundleSimulation(): Promise<string>;

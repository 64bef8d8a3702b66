const made = Symbol.for("gatehouse.tests.made");
const worker = globalThis as { [made]?: Map<string, unknown> };

/**
 * Makes a value once for each worker. For what takes long to make and never changes: the modules of
 * tests are evaluated again for every file.
 */
export function onceForWorker<T>(name: string, make: () => T): T {
  worker[made] ??= new Map();
  if (!worker[made].has(name)) worker[made].set(name, make());
  return worker[made].get(name) as T;
}

import { Session } from "node:inspector/promises";

/** Where a file of the server runs from: its source, or what was built of it. */
const SERVER_FILE = /\/packages\/server\/(?:src|dist)\/(.+)\.[jt]s$/;

function sourceOf(url: string): string | undefined {
  const name = SERVER_FILE.exec(url)?.[1];
  return name === undefined ? undefined : `${name}.ts`;
}

/** Files of the server, below its `src`, of which at least one function ran during the work. */
export async function executedFiles(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    // What ran before is not counted: reading the counts sets them to zero.
    await session.post("Profiler.takePreciseCoverage");
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const executed = result.filter(({ functions }) =>
      functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    );
    return executed.flatMap(({ url }) => sourceOf(url) ?? []).sort();
  } finally {
    session.disconnect();
  }
}

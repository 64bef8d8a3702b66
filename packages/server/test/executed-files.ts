import { Session } from "node:inspector/promises";

const SOURCE = "/packages/server/src/";

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
    const executed = result.filter(
      ({ url, functions }) =>
        url.includes(SOURCE) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    );
    return executed.map(({ url }) => url.slice(url.indexOf(SOURCE) + SOURCE.length)).sort();
  } finally {
    session.disconnect();
  }
}

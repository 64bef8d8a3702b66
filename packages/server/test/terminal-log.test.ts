import { expect, onTestFinished, test, vi } from "vitest";
import { start } from "../src/quiet-terminal.ts";
import { freshEnvironment } from "./harness.ts";

/** Events of the log of a service that is started, asked once, and stopped. */
async function eventsOf(log: string | undefined, isTTY: boolean): Promise<string[]> {
  const lines: string[] = [];
  const writing = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  onTestFinished(() => writing.mockRestore());
  const { GATEHOUSE_LOG: _, ...env } = await freshEnvironment("sqlite");
  const running = await start(
    log === undefined ? env : { ...env, GATEHOUSE_LOG: log },
    () => undefined,
    { isTTY },
  );
  await (await fetch(`http://127.0.0.1:${running.port}/healthz`)).text();
  await running.stop();
  writing.mockRestore();
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).event);
}

test.each([undefined, ""])(
  "a log on a terminal shows only what needs attention (%j)",
  async (log) => {
    expect(await eventsOf(log, true)).not.toContain("http.answered");
  },
);

test("a log on a terminal shows everything on request", async () => {
  expect(await eventsOf("info", true)).toContain("http.answered");
});

test("a log that goes anywhere else shows everything", async () => {
  expect(await eventsOf(undefined, false)).toContain("http.answered");
});

import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { freshEnvironment } from "./harness.ts";

const PROGRAM = fileURLToPath(new URL("../../cli/bin/gatehouse.js", import.meta.url));
const FAILING = new URL("fixtures/failing-process.mjs", import.meta.url).href;

/** The real service in a process that fails when it is told to. */
async function startFailing() {
  const own = { PATH: process.env.PATH, GATEHOUSE_LOG: "error" };
  const env = { ...(await freshEnvironment("sqlite")), ...own };
  const execArgv = ["--import", FAILING];
  const child = fork(PROGRAM, ["serve"], { env, execArgv, silent: true });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let [output, log] = ["", ""];
  child.stderr?.on("data", (text) => {
    log += text;
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on("data", (text) => {
      output += text;
      const [, found] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    ended.then(() => reject(new Error(log)), reject);
  });
  return { child, ended, port, log: () => log };
}

test.each(["rejection", "exception"])(
  "the process logs an unhandled %s, finishes the current request, and exits with 1",
  async (kind) => {
    const { child, ended, port, log } = await startFailing();
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (text) => {
      answer += text;
    });
    const closed = once(socket, "close");
    // Half a body: the request is under way when the process fails.
    socket.write(
      "POST /v1/discovery/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
        "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n",
    );
    await once(socket, "data");
    child.send(kind);
    while (!log().includes("process.failed"))
      await once(child.stderr as NodeJS.EventEmitter, "data");
    socket.write("{}");
    await closed;
    expect(answer).toMatch(/HTTP\/1\.1 400 [\s\S]*invalid_request/);
    expect((await ended)[0]).toBe(1);
    expect(log()).toMatch(/"event":"process\.failed"/);
  },
);

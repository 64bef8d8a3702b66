import { expect, test } from "vitest";
import { AgentError, discover, escalationStatus, quoteOrder, sendText } from "../src/index.ts";
import { listen } from "./listening.ts";

/** What is thrown. */
const thrown = (task: Promise<unknown>): Promise<AgentError> =>
  task.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

test("an endless response is cut off at the size limit", async () => {
  const piece = Buffer.alloc(64 * 1024, " ");
  let letGo: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const port = await listen((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more).on("close", letGo);
    more();
  });
  const error = await thrown(discover(`http://127.0.0.1:${port}`));
  expect(error).toBeInstanceOf(AgentError);
  expect(error.message).toMatch(/answers with more than 1 MB$/);
  await closed;
});

test("a response that breaks off is reported in a sentence, with its cause", async () => {
  const port = await listen((_request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"half":', () => response.destroy());
  });
  const error = await thrown(discover(`http://127.0.0.1:${port}`));
  expect(error).toBeInstanceOf(AgentError);
  expect(error.message).toMatch(/stopped in the middle of its answer/);
  expect(error.cause).toBeDefined();
});

const ELSEWHERE = "http://192.0.2.1/v1";

test.each<[string, () => Promise<unknown>]>([
  ["a request for a card", () => discover(ELSEWHERE)],
  ["a mandate", () => sendText({ mandateUrl: ELSEWHERE }, "{}")],
  ["a tool call", () => quoteOrder({ mcpUrl: ELSEWHERE }, [])],
  ["a request for the state of a review", () => escalationStatus(ELSEWHERE)],
])("%s is not sent over plain http to another machine", async (_what, task) => {
  const error = await thrown(task());
  expect(error).toBeInstanceOf(AgentError);
  expect([error.message, error.cause]).toEqual([
    expect.stringMatching(/^http:\/\/192\.0\.2\.1\/v1\S* is plain http.*; use https$/),
    undefined,
  ]);
});

test.each(["mailto:ops@example.com", "file:///etc/passwd", "shop"])(
  "%s is refused as an address",
  async (mandateUrl) => {
    const error = await thrown(sendText({ mandateUrl }, "{}"));
    expect(error.message).toBe(`${mandateUrl} is not an address`);
  },
);

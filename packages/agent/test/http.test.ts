import { expect, test } from "vitest";
import { AgentError, discover } from "../src/index.ts";
import { listen } from "./listening.ts";

/** What is thrown. */
const thrown = (task: Promise<unknown>): Promise<AgentError> =>
  task.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

test("an answer without an end is let go at the limit", async () => {
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

test("an answer that breaks off is told in a sentence, with its cause", async () => {
  const port = await listen((_request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"half":', () => response.destroy());
  });
  const error = await thrown(discover(`http://127.0.0.1:${port}`));
  expect(error).toBeInstanceOf(AgentError);
  expect(error.message).toMatch(/breaks off its answer/);
  expect(error.cause).toBeDefined();
});

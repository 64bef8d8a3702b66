import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { Admission } from "../../src/http/server/admission/admission.ts";
import { callerOf } from "../../src/http/server/admission/caller.ts";
import { readBytes } from "../../src/http/server/body.ts";
import { listen } from "../../src/http/server/server.ts";
import { TrustedProxies } from "../../src/http/server/trusted-proxies.ts";
import { systemClock } from "../../src/infra/clock.ts";
import { Metrics } from "../../src/infra/metrics.ts";
import { freshEnvironment } from "../harness.ts";

const BODY = "x".repeat(1000);
const post = (path: string, sent: string, length = sent.length) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${sent}`;

test("bodies sent behind an unanswered request are released with their connection", async () => {
  const config = readConfig({ ...(await freshEnvironment("sqlite")), GATEHOUSE_PORT: "0" });
  const clock = systemClock;
  const metrics = new Metrics();
  const proxies = new TrustedProxies([]);
  const admission = new Admission({ limits: config.limits, clock, metrics, proxies });
  const listener = await listen({ ...config, clock });
  onTestFinished(() => listener.stop());
  const held = () => /^gatehouse_body_bytes_held (\d+)$/m.exec(metrics.render())?.[1];
  const closed: string[] = [];
  let came = () => {};
  const allCame = new Promise<void>((resolve) => {
    came = resolve;
  });
  let allClosed = () => {};
  const done = new Promise<void>((resolve) => {
    allClosed = resolve;
  });
  const route = admission.listener(
    (request) => {
      const { url = "" } = request;
      callerOf(request).response.once("close", () => {
        closed.push(url);
        if (closed.length === 3) allClosed();
      });
      readBytes({ clock, admission }, request, 10_000).catch(() => undefined);
      if (url === "/half") request.once("data", () => setImmediate(came));
    },
    () => undefined,
  );
  listener.serve(route);

  const socket = connect(listener.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(post("/first", BODY) + post("/whole", BODY) + post("/half", BODY, 5000));
  await allCame;
  expect(held()).toBe("3000");
  socket.destroy();
  await done;
  expect(closed.sort()).toEqual(["/first", "/half", "/whole"]);
  expect(held()).toBe("0");
});

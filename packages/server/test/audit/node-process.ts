import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { inject, onTestFinished } from "vitest";
import { OPERATOR_TOKEN } from "../harness.ts";

type Wish =
  | { readonly point: string; readonly times: number }
  | { readonly fill: { readonly site: string; readonly count: number } }
  | { readonly reconcile: true }
  | { readonly deliver: true }
  | { readonly advance: number }
  | Record<string, never>;

/** A service in a process of its own, that can be told where to die. */
export interface NodeProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /**
   * Ends the process at the n-th pass of a point from now on, fills a log, looks after payments, delivers
   * messages, or advances its clock.
   */
  ask(what: Wish): Promise<{ readonly peakKb: number }>;
  admin(method: string, path: string, body?: unknown): Promise<Response>;
  /** The signal that ended it. */
  readonly died: Promise<NodeJS.Signals | null>;
}

/** A process that ends with its test. */
export async function startNode(env: Readonly<Record<string, string>>): Promise<NodeProcess> {
  const node = await forkNode(env);
  onTestFinished(async () => {
    node.child.kill("SIGKILL");
    await node.died;
  });
  return node;
}

/** A process that its caller ends. */
export async function forkNode(env: Readonly<Record<string, string>>): Promise<NodeProcess> {
  const child = fork(inject("crashNode"), {
    env: { PATH: process.env.PATH, ...env },
    execArgv: [],
  });
  const ended = once(child, "close");
  const first = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
  if (first === undefined) throw new Error("the process ended before it served");
  const url = `http://127.0.0.1:${(first[0] as { port: number }).port}`;
  const ask = async (wish: Wish) => {
    const answered = once(child, "message");
    child.send(wish);
    return (await answered)[0] as { peakKb: number };
  };
  return {
    url,
    child,
    ask,
    admin(method, path, body) {
      const headers = {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        "content-type": "application/json",
      };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return fetch(url + path, { method, headers, ...sent });
    },
    died: ended.then(([, signal]) => signal as NodeJS.Signals | null),
  };
}

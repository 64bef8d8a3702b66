/** Servers in processes of their own, loaded from this one: their own CPU time is what counts. */
import { fork } from "node:child_process";
import { Agent, get } from "node:http";
import { connect } from "node:net";

const ROUNDS = 21;
/** Before that, until the code of every server is compiled. */
const WARM_UP_ROUNDS = 6;

export function startServer(script, ...args) {
  const child = fork(new URL(script, import.meta.url), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child.on("exit", (code) => {
    if (!code) return;
    console.error(`${script} ended with ${code}`);
    process.exit(1);
  });
  const answers = [];
  const waiting = [];
  child.on("message", (message) => {
    const resolve = waiting.shift();
    if (resolve === undefined) answers.push(message);
    else resolve(message);
  });
  const next = () =>
    answers.length > 0
      ? Promise.resolve(answers.shift())
      : new Promise((resolve) => waiting.push(resolve));
  const ask = (question) => {
    child.send(question);
    return next();
  };
  return { ready: next(), ask, stop: () => child.kill("SIGTERM") };
}

function fetchOnce(options, url) {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.on("data", () => undefined);
      response.on("end", () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`${response.statusCode} ${url}`)),
      );
    }).on("error", reject);
  });
}

/** CPU microseconds of the server per request; each connection has one request under way. */
export async function load(server, urls, connections, headers = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = await server.ask("cpu");
  let next = 0;
  const worker = async () => {
    while (next < urls.length) await fetchOnce({ agent, headers }, urls[next++]);
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const after = await server.ask("cpu");
  agent.destroy();
  return (after - before) / urls.length;
}

/** A request as bytes, to be sent again and again. */
function requestBytes({ url, body, headers }) {
  const { host, pathname } = new URL(url);
  const all = { host, ...headers, "content-length": Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** Bytes of one whole answer, head included; 0 while it is not all there. */
function answerLength(text) {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return 0;
  if (text.startsWith("HTTP/1.1 204 ")) return head + 4;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head)) ?? [];
  if (length !== undefined) {
    const whole = head + 4 + Number(length);
    return text.length >= whole ? whole : 0;
  }
  const end = text.indexOf("\r\n0\r\n\r\n", head);
  return end < 0 ? 0 : end + 7;
}

/**
 * CPU microseconds of the server per request, sent from bare sockets that cost this process so
 * little that the server is never left waiting: what a library costs is then not hidden behind
 * waking up. Every answer must have the status and hold the text.
 */
export function flood(server, requests, count, expected) {
  const all = requests.map(requestBytes);
  let left = count;
  const next = (connection) => (left-- > 0 ? all[connection] : undefined);
  return send(server, { url: requests[0].url, connections: all.length, next, count }, expected);
}

/** The same with a body of its own for every request. */
export function floodBodies(server, { url, headers, bodies, connections }, expected) {
  const all = bodies.map((body) => requestBytes({ url, headers, body }));
  let place = 0;
  const count = bodies.length;
  return send(server, { url, connections, next: () => all[place++], count }, expected);
}

async function send(server, { url, connections, next: take, count }, { status = 200, text: held }) {
  const { hostname, port } = new URL(url);
  const before = await server.ask("cpu");
  await Promise.all(
    Array.from({ length: connections }, (_, connection) => {
      return new Promise((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        let text = "";
        const next = () => {
          const bytes = take(connection);
          if (bytes === undefined) socket.end(resolve);
          else socket.write(bytes);
        };
        socket.setEncoding("latin1").on("connect", next).on("error", reject);
        socket.on("data", (chunk) => {
          text += chunk;
          const length = answerLength(text);
          if (length === 0) return;
          const answer = text.slice(0, length);
          if (!answer.startsWith(`HTTP/1.1 ${status} `) || !answer.includes(held)) {
            reject(new Error(`${server.url}: ${answer.slice(0, 400)}`));
          }
          text = text.slice(length);
          next();
        });
      });
    }),
  );
  const after = await server.ask("cpu");
  return (after - before) / count;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/**
 * Runs the servers in turn, so that whatever else the machine does falls on all of them. A ratio
 * is the median of the ratios within each round.
 */
export async function interleaved(runs, { baseline = 1, rounds = ROUNDS } = {}) {
  const samples = runs.map(() => []);
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const [i, run] of runs.entries()) {
      const sample = await run();
      if (round >= WARM_UP_ROUNDS) samples[i].push(sample);
    }
  }
  return samples.map((list) => ({
    micros: median(list),
    ratio: median(list.map((sample, round) => sample / samples[baseline][round])),
  }));
}

/** Rows of what was measured, ours first, and whether it is within its goal. */
export function table(title, rows, goal, stretch) {
  const [[, { ratio }]] = rows;
  const verdict = ratio <= goal ? "Reached" : "MISSED";
  const better = stretch === undefined ? "" : `, better ${stretch}`;
  return {
    missed: ratio > goal,
    lines: [
      `## ${title}\n`,
      "| What | CPU µs per request | Ratio to the baseline |",
      "|---|---|---|",
      ...rows.map(
        ([name, { micros, ratio: own }], i) =>
          `| ${i === 0 ? `**${name}**` : name} | ${micros.toFixed(1)} | ${own.toFixed(2)} |`,
      ),
      "",
      `Goal: within ${goal} times the baseline${better}. ${verdict}: ${ratio.toFixed(2)}.`,
      "",
    ],
  };
}

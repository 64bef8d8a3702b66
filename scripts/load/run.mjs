/** Sends requests over a fixed number of connections for a fixed time, and says how long answers took. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

const ANSWER_MS_MAX = 30_000;

function exchange(agent, { method, url, headers = {}, body }) {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = send(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
      response
        .resume()
        .once("end", () => resolve(response.statusCode))
        .once("error", reject);
    });
    sent.setTimeout(ANSWER_MS_MAX, () => sent.destroy(new Error("no answer")));
    sent.once("error", reject).end(body);
  });
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** Answers by status, answers per second, and times in milliseconds. A failed request has the status 0. */
export async function run({ next }, { url, connections, seconds }) {
  const Agent = url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  const statuses = new Map();
  const began = performance.now();
  const ends = began + seconds * 1000;
  const connection = async () => {
    while (performance.now() < ends) {
      const request = await next();
      const sentAt = performance.now();
      const status = await exchange(agent, request).catch(() => 0);
      times.push(performance.now() - sentAt);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const took = (performance.now() - began) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    perSecond: times.length / took,
    p50: at(times, 0.5),
    p95: at(times, 0.95),
    p99: at(times, 0.99),
    statuses,
  };
}

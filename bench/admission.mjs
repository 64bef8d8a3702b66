/** What admission alone costs a request, in CPU time: no socket, no answer, nothing else. */
import { EventEmitter } from "node:events";
import { readConfig } from "../packages/server/dist/config/config.js";
import { Admission } from "../packages/server/dist/http/server/admission/admission.js";
import { callerOf } from "../packages/server/dist/http/server/admission/caller.js";
import { TrustedProxies } from "../packages/server/dist/http/server/trusted-proxies.js";
import { systemClock } from "../packages/server/dist/infra/clock.js";
import { Metrics } from "../packages/server/dist/infra/metrics.js";

const ROUNDS = 9;
const TIMES = 50_000;
const DOCUMENT_GOAL_US = 4;
const MANDATE_GOAL_US = 15;
const MANDATE_BYTES = 1200;
/** Addresses in turn: one alone would find all it needs where it left it. */
const ADDRESSES = Array.from({ length: 1000 }, (_, i) =>
  i % 2 === 0 ? `198.51.${i >> 8}.${i & 255}` : `2001:db8:${i.toString(16)}:1::1`,
);

const { limits } = readConfig({
  GATEHOUSE_MODE: "development",
  GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
  GATEHOUSE_UNPROVEN_REQUESTS_PER_MINUTE: "1000000",
});

function newAdmission() {
  const tools = { limits, clock: systemClock, metrics: new Metrics() };
  return new Admission({ ...tools, proxies: new TrustedProxies([]) });
}

/** One of each, used again and again: making them is Node's own work. */
function exchanges() {
  return ADDRESSES.map((remoteAddress) => ({
    request: { socket: { remoteAddress, encrypted: true }, headers: { host: "gate.example" } },
    response: Object.assign(new EventEmitter(), { closed: false }),
  }));
}

function median(samples) {
  return samples.sort((a, b) => a - b)[Math.floor(samples.length / 2)];
}

function cpuMicros(pass) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.cpuUsage();
    for (let i = 0; i < TIMES; i++) pass(i);
    const { user, system } = process.cpuUsage(began);
    samples.push((user + system) / TIMES);
  }
  return median(samples);
}

function refuse() {
  throw new Error("nobody is to be refused here");
}

function documentMicros() {
  const admission = newAdmission();
  const all = exchanges();
  const listener = admission.listener((request) => callerOf(request), refuse);
  return cpuMicros((i) => {
    const { request, response } = all[i % all.length];
    listener(request, response);
  });
}

function mandateMicros() {
  const admission = newAdmission();
  const all = exchanges();
  const listener = admission.listener((request, response) => {
    const caller = callerOf(request);
    if (admission.takeCostly(caller) > 0) refuse();
    if (!admission.reserveBody(caller)(MANDATE_BYTES)) refuse();
    caller.provenAs = "spending";
    response.emit("close");
  }, refuse);
  return cpuMicros((i) => {
    const { request, response } = all[i % all.length];
    listener(request, response);
  });
}

export async function measure() {
  const rows = [
    ["a document", documentMicros(), DOCUMENT_GOAL_US],
    ["a mandate, its body held and released", mandateMicros(), MANDATE_GOAL_US],
  ];
  const lines = [
    "## Admission\n",
    `${TIMES.toLocaleString("en")} passes from ${ADDRESSES.length.toLocaleString("en")} addresses, half IPv4 and half IPv6, measured by themselves.\n`,
    "| Admission of | CPU µs | Goal |",
    "|---|---|---|",
    ...rows.map(
      ([name, micros, goal]) =>
        `| ${name} | ${micros.toFixed(2)} | ≤ ${goal} ${micros <= goal ? "reached" : "MISSED"} |`,
    ),
    "",
  ];
  return { lines, missed: rows.some(([, micros, goal]) => micros > goal) };
}

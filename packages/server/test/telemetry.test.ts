import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { readTelemetry } from "../src/config/telemetry.ts";
import { createLog } from "../src/infra/log/log.ts";
import { publishedSite } from "./discovery/published.ts";
import { cleanUp, freshEnvironment, startServer } from "./harness.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER_TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "00f067aa0ba902b7";

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
}

/** A collector of OpenTelemetry: what it received, by path. */
class Collector {
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly received: { path: string; body: any }[] = [];
  status = 200;
  private readonly server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    this.received.push({ path: request.url ?? "", body: JSON.parse(text) });
    response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  private parts(path: string, outer: string, inner: string, leaf: string) {
    return this.received
      .filter((one) => one.path === path)
      .flatMap(({ body }) => body[outer])
      .flatMap((one) => one[inner])
      .flatMap((one) => one[leaf]);
  }

  get spans(): SentSpan[] {
    return this.parts("/v1/traces", "resourceSpans", "scopeSpans", "spans");
  }

  get metrics(): { name: string }[] {
    return this.parts("/v1/metrics", "resourceMetrics", "scopeMetrics", "metrics");
  }

  resource(): Record<string, unknown> {
    const [first] = this.received.flatMap(({ body }) => body.resourceSpans ?? []) as {
      resource: { attributes: { key: string; value: { stringValue: string } }[] };
    }[];
    const entries = (first?.resource.attributes ?? []).map(({ key, value }) => [
      key,
      value.stringValue,
    ]);
    return Object.fromEntries(entries);
  }
}

afterAll(cleanUp);

describe("a service with a collector of OpenTelemetry", () => {
  let collector: Collector;
  let endpoint: string;
  beforeEach(async () => {
    collector = new Collector();
    endpoint = await collector.start();
  });
  afterEach(async () => {
    await collector.stop();
  });

  const started = async (more: Readonly<Record<string, string>> = {}) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more };
    return startServer({ ...(await freshEnvironment("sqlite")), ...env });
  };

  test("sends a span for a request, in the trace that the caller names, without its address", async () => {
    const server = await started({ OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test" });
    const shop = await publishedSite(server);
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    expect((await fetch(server.url + shop.paths.card, { headers })).status).toBe(200);
    await server.stop();
    const [span] = collector.spans.filter(({ traceId }) => traceId === TRACE);
    expect(span).toMatchObject({
      parentSpanId: PARENT,
      name: expect.stringMatching(/^GET \/v1\//),
    });
    expect(span?.name).toContain(":");
    expect(JSON.stringify(collector.spans)).not.toContain(shop.site.site_key);
    expect(span?.attributes).toContainEqual({
      key: "http.response.status_code",
      value: { intValue: 200 },
    });
    expect(collector.resource()).toMatchObject({
      "service.name": "gatehouse",
      "deployment.environment": "test",
    });
  });

  test("sends a tool call below the trace in its _meta, linked to the request that brought it", async () => {
    const server = await started();
    const shop = await publishedSite(server);
    const answer = await fetch(`${server.url}/v1/mcp/${shop.site.site_key}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        traceparent: `00-${OTHER_TRACE}-${PARENT}-01`,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "get_pricing",
          arguments: {},
          _meta: { traceparent: `00-${TRACE}-${PARENT}-01` },
        },
      }),
    });
    expect(answer.status).toBe(200);
    await server.stop();
    const call = collector.spans.find(({ name }) => name === "tools/call");
    const request = collector.spans.find(({ traceId }) => traceId === OTHER_TRACE);
    expect(call).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      links: [{ traceId: OTHER_TRACE, spanId: request?.spanId }],
    });
    const commit = collector.spans.find(({ name, traceId }) => {
      return name === "audit commit" && traceId === TRACE;
    });
    expect(commit?.parentSpanId).toBe(call?.spanId);
  });

  test("sends its metrics under their own names", async () => {
    const server = await started({ OTEL_TRACES_EXPORTER: "none" });
    expect((await fetch(`${server.url}/version`)).status).toBe(200);
    await server.stop();
    const names = collector.metrics.map(({ name }) => name);
    expect(names).toContain("gatehouse_http_requests_total");
    const requests = collector.metrics.find(({ name }) => name === "gatehouse_http_requests_total");
    expect(JSON.stringify(requests)).toContain('{"key":"status","value":{"stringValue":"200"}}');
    expect(names).toContain("gatehouse_http_request_seconds");
    expect(collector.spans).toEqual([]);
  });

  test("serves as before while the collector refuses everything, and warns of it", async () => {
    collector.status = 400;
    const lines: string[] = [];
    const log = createLog("warn", (line) => lines.push(line));
    const env = { ...(await freshEnvironment("sqlite")), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const server = await startServer(env, { log });
    expect((await fetch(`${server.url}/version`)).status).toBe(200);
    await server.stop();
    expect(lines.join("\n")).toContain("telemetry.not_sent");
  });
});

describe("the standard variables", () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

  test.each([
    ["nothing is set", {}],
    ["it is disabled", { ...ENDPOINT, OTEL_SDK_DISABLED: "true" }],
    ["the address is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
    [
      "no exporter is wanted",
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" },
    ],
  ])("send nothing if %s", (_name, env) => {
    expect(readTelemetry(env)).toBeUndefined();
  });

  test("choose what is sent, how much of it, and how often", () => {
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1",
      OTEL_METRIC_EXPORT_INTERVAL: "15000",
    };
    expect(readTelemetry(env)).toMatchObject({
      tracesUrl: "http://127.0.0.1:4318/v1/traces",
      metricsUrl: undefined,
      sampler: "parentbased_traceidratio",
      ratio: 0.1,
      metricsEveryMs: 15_000,
    });
  });

  test("are refused without repeating a header, which may hold a secret", () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "secret" };
    expect(() => readTelemetry(env)).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS=… is not valid/);
  });

  test.each([
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "soon"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318"],
  ])("refuse to start with %s=%s, and name it", (name, value) => {
    expect(() => readTelemetry({ ...ENDPOINT, [name]: value })).toThrow(`${name}=${value}`);
  });
});

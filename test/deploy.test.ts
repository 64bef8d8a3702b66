import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { EXIT } from "../packages/cli/src/exit.ts";
import { VARIABLES } from "../packages/server/src/config/variables.ts";
import { METRICS } from "../packages/server/src/infra/metric-list.ts";
import { VERSION } from "../packages/server/src/version.ts";
import {
  type Block,
  type Compose,
  DEPLOY_FILES,
  deployFile,
  interpolate,
  MAJOR_VERSION_IMAGE,
  NODE_IMAGE,
  readCompose,
  readEnvFile,
  readImage,
  readNginx,
  readUnit,
} from "./deploy-files.ts";
import { root, sourcesOf } from "./source.ts";

const COMPOSE_FILES = ["compose.yaml", "compose.postgres.yaml"];
const SECRET = VARIABLES.filter(({ secret }) => secret).map(({ name }) => name);

/** A service that can be reached must have HTTPS, by itself or by a proxy it trusts. */
function expectHttps(env: Readonly<Record<string, string>>): void {
  if (env.GATEHOUSE_HOST === undefined) return;
  const tls = env.GATEHOUSE_TLS_CERT !== undefined && env.GATEHOUSE_TLS_KEY !== undefined;
  expect(tls || (env.GATEHOUSE_TRUST_PROXY ?? "") !== "").toBe(true);
}

test.each(DEPLOY_FILES)("every variable that deploy/%s names exists in the service", (name) => {
  const known = new Set(VARIABLES.map((variable) => variable.name));
  const named = deployFile(name).match(/\bGATEHOUSE_[A-Z_]+\b/g) ?? [];
  expect(named.filter((variable) => !known.has(variable))).toEqual([]);
});

describe("the Dockerfile", () => {
  const image = readImage();

  test("has no findings of Docker's linter", () => {
    expect(validate(deployFile("Dockerfile"))).toEqual([]);
  });

  test("is built from a pinned major version, runs as an unprivileged user, and keeps its data in a volume", () => {
    expect(image.from.length).toBeGreaterThan(1);
    for (const from of image.from) expect(from).toMatch(NODE_IMAGE);
    expect(image.user).toBe("node");
    expect(image.volumes).toEqual(["/data"]);
    expect(image.env.GATEHOUSE_DATA_DIR).toBe("/data");
    expect(image.stopSignal).toBe("SIGTERM");
  });

  test("contains no secret and cannot be reached by itself", () => {
    for (const name of [...SECRET, "GATEHOUSE_HOST"]) expect(image.env).not.toHaveProperty(name);
    expect(deployFile("Dockerfile")).not.toMatch(/^ARG /m);
  });

  test("copies only existing files, and no file that could contain a secret is sent to the builder", () => {
    const copies = [...deployFile("Dockerfile").matchAll(/^COPY (?!--from=)(\S+)/gm)];
    const missing = copies
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
    const ignored = readIgnored();
    for (const line of ["**/*.env", "**/.env", "**/*.key", "**/*.pem", "data", ".git"]) {
      expect(ignored).toContain(line);
    }
  });
});

function readIgnored(): string[] {
  return deployFile("../.dockerignore").split("\n");
}

/** Keys of a service that the compose specification has, as far as our files use them. */
const SERVICE_KEYS = [
  "build",
  "image",
  "restart",
  "ports",
  "environment",
  "volumes",
  "networks",
  "secrets",
  "depends_on",
  "healthcheck",
  "stop_grace_period",
  "read_only",
  "tmpfs",
  "cap_drop",
  "cap_add",
  "security_opt",
  "shm_size",
  "mem_limit",
  "pids_limit",
  "logging",
];

describe.each(COMPOSE_FILES)("deploy/%s", (name) => {
  const compose: Compose = readCompose(name);
  const services = Object.entries(compose.services);

  test("names images of a pinned major version, and our own by this version", () => {
    for (const [, { image, build }] of services) {
      expect(image).toMatch(
        build === undefined ? MAJOR_VERSION_IMAGE : new RegExp(`^gatehouse:${VERSION}$`),
      );
      if (build !== undefined)
        expect(build).toEqual({ context: "..", dockerfile: "deploy/Dockerfile" });
    }
  });

  test("has only keys that compose knows, and restarts everything after a crash", () => {
    const unknown = services.flatMap(([, one]) =>
      Object.keys(one).filter((key) => !SERVICE_KEYS.includes(key)),
    );
    expect(unknown).toEqual([]);
    for (const [, { restart }] of services) expect(restart).toBe("unless-stopped");
  });

  test("limits the memory, the processes and the log of everything it starts", () => {
    for (const [, { mem_limit, pids_limit, logging }] of services) {
      expect(mem_limit).toMatch(/^\d+[mg]$/);
      expect(pids_limit).toBeGreaterThan(0);
      const options = { "max-size": "10m", "max-file": "5" };
      expect(logging).toEqual({ driver: "json-file", options });
    }
  });

  test("declares every volume, network and secret that it uses", () => {
    for (const [, { volumes = [], networks = [], secrets = [] }] of services) {
      const used = volumes.map((one) => one.split(":")[0] as string);
      for (const one of used.filter((path) => !path.startsWith("."))) {
        expect(compose.volumes).toHaveProperty(one);
      }
      const names = Array.isArray(networks) ? networks : Object.keys(networks);
      for (const one of names) expect(compose.networks).toHaveProperty(one);
      for (const one of secrets) expect(compose.secrets).toHaveProperty(one);
    }
  });

  test("waits only for services with a health check", () => {
    for (const [, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { build, healthcheck } = compose.services[other] ?? { build: undefined };
        expect([other, condition]).toEqual([other, "service_healthy"]);
        expect(build !== undefined || healthcheck !== undefined).toBe(true);
      }
    }
  });

  test("keeps data in a volume, speaks HTTPS, and contains no secret", () => {
    const nodes = services.filter(([, { build }]) => build !== undefined);
    expect(nodes.length).toBe(name === "compose.yaml" ? 1 : 2);
    for (const [, { environment = {}, volumes = [], ...rest }] of nodes) {
      expect(volumes.filter((one) => /^\w+:\/data$/.test(one)).length).toBe(1);
      expectHttps(environment);
      expect(environment.GATEHOUSE_HOST).toBe("0.0.0.0");
      for (const secret of SECRET.filter((one) => one in environment)) {
        expect(environment[secret]).toMatch(/\$\{/);
      }
      expect(rest).toMatchObject({ read_only: true, cap_drop: ["ALL"], tmpfs: ["/tmp"] });
    }
    // Whatever must be set is asked for before anything starts.
    const whole = () => interpolate(deployFile(name), {});
    expect(whole).toThrow(/is not set/);
  });
});

test.each([
  ["compose.yaml", "gatehouse", "caddy"],
  ["compose.postgres.yaml", "node1", "nginx"],
])("in deploy/%s the service %s trusts exactly %s and itself", (file, service, proxy) => {
  const { services, networks } = readCompose(file);
  const front = services[proxy]?.networks as Record<string, { ipv4_address?: string }>;
  const address = front.front?.ipv4_address as string;
  expect(services[service]?.environment?.GATEHOUSE_TRUST_PROXY).toBe(`${address},127.0.0.1`);
  const subnet = networks?.front?.ipam?.config[0]?.subnet as string;
  expect(address.startsWith(subnet.replace(/0\/24$/, ""))).toBe(true);
});

test("the nodes behind nginx have a volume each, and only they reach the database", () => {
  const { services, networks } = readCompose("compose.postgres.yaml");
  expect(services.node1?.volumes).not.toEqual(services.node2?.volumes);
  expect(networks?.back).toEqual({ internal: true });
});

describe("kubernetes.yaml", () => {
  const documents = parseAllDocuments(deployFile("kubernetes.yaml"), { uniqueKeys: true });
  const all = documents.map((document) => document.toJS());
  const set = all.find(({ kind }) => kind === "StatefulSet");
  const { template, serviceName, volumeClaimTemplates } = set.spec;
  const [container] = template.spec.containers;

  test("runs the image of this version as an unprivileged user that cannot write elsewhere", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(container.image).toBe(`gatehouse:${VERSION}`);
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(template.spec.enableServiceLinks).toBe(false);
  });

  test("takes secrets from secrets, and trusts a proxy for HTTPS", () => {
    const env: { name: string; value?: string }[] = container.env;
    for (const { name, value } of env) {
      if (SECRET.includes(name)) expect([name, value]).toEqual([name, undefined]);
    }
    expectHttps(Object.fromEntries(env.map(({ name, value }) => [name, value ?? "secret"])));
  });

  test("gives each node a volume, and leads to them by services that exist", () => {
    const names = (wanted: string) =>
      all.filter(({ kind }) => kind === wanted).map(({ metadata }) => metadata.name);
    expect(names("Service")).toEqual([serviceName, "gatehouse-http"]);
    const [ingress] = all.filter(({ kind }) => kind === "Ingress");
    const [path] = ingress.spec.rules[0].http.paths;
    expect(names("Service")).toContain(path.backend.service.name);
    const volumes = [
      ...volumeClaimTemplates.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ...template.spec.volumes.map(({ name }: { name: string }) => name),
    ];
    for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
  });
});

test("the alert rules name only existing metrics, and every metric that the monitoring page alerts on", () => {
  const text = deployFile("prometheus-rules.yaml");
  const { groups } = parse(text, { strict: true, uniqueKeys: true });
  const rules: { alert: string; expr: string }[] = groups[0].rules;
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const metric = /gatehouse_[a-z_]+?(?=_bucket|[^a-z_]|$)/g;
  const named = new Set(rules.flatMap(({ expr }) => expr.match(metric) ?? []));
  expect([...named].filter((name) => !(name in METRICS))).toEqual([]);
  const page = readFileSync(join(root, "docs/operations/monitor.md"), "utf8");
  const [, table = ""] = page.split("## Metrics worth an alert");
  const listed = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `(gatehouse_[a-z_]+)/gm)];
  expect([...named].sort()).toEqual([...new Set(listed.map(([, name]) => name))].sort());
});

describe("nginx.conf", () => {
  const [http] = readNginx(deployFile("nginx.conf")).blocks.filter(({ name }) => name === "http");
  const server = http?.blocks.find(({ name }) => name === "server") as Block;
  const value = (block: Block, name: string) =>
    block.directives
      .find(([first]) => first === name)
      ?.slice(1)
      .join(" ");
  const location = (path: RegExp) =>
    server.blocks.find(({ name }) => path.test(name.replaceAll("\\", ""))) as Block;
  /** A limit of the service, in bytes, as its source says it. */
  const limit = (file: string, name: string) => {
    const { text = "" } = sourcesOf("server").find(({ path }) => path.endsWith(file)) ?? {};
    const product = new RegExp(`const ${name} = ([\\d_* ]+);`).exec(text)?.[1] ?? "0";
    return product.split("*").reduce((total, one) => total * Number(one.replaceAll("_", "")), 1);
  };

  test("passes on the client's address and scheme, and never the client's own headers for them", () => {
    const set = server.directives.filter(([name]) => name === "proxy_set_header");
    expect(Object.fromEntries(set.map(([, name, what]) => [name, what]))).toEqual({
      Connection: '""',
      Host: "$host",
      "X-Forwarded-Proto": "$scheme",
      "X-Forwarded-For": "$proxy_add_x_forwarded_for",
    });
    // A location with headers of its own would drop all of these.
    for (const block of server.blocks) {
      expect(value(block, "proxy_set_header")).toBeUndefined();
      expect(value(block, "proxy_pass")).toBe("http://gatehouse");
    }
    expect(value(server, "listen")).toBe("443 ssl");
  });

  test("accepts bodies and headers as large as the service does", () => {
    const mb = (bytes: number) => `${bytes / 1024 / 1024}m`;
    const body = mb(limit("http/server/hono-group.ts", "BODY_BYTES_MAX"));
    expect(value(server, "client_max_body_size")).toBe(body);
    const upload = mb(limit("http/admin/product-imports.ts", "IMPORT_BYTES_MAX"));
    const imports = location(/products\/import/);
    expect(value(imports, "client_max_body_size")).toBe(upload);
    expect(value(imports, "proxy_request_buffering")).toBe("off");
    const headers = limit("http/server/server.ts", "HEADER_BYTES_MAX") / 1024;
    expect(value(server, "large_client_header_buffers")).toBe(`4 ${headers}k`);
  });

  test("keeps addresses out of the log, also in errors", () => {
    const logs = ["access_log", "error_log"].map((name) => value(http as Block, name));
    expect(logs).toEqual(["off", "/dev/stderr crit"]);
    for (const block of [server, ...server.blocks]) {
      expect(value(block, "access_log") ?? value(block, "error_log")).toBeUndefined();
    }
  });

  test("does not buffer the console's events", () => {
    expect(value(location(/changes/), "proxy_buffering")).toBe("off");
  });

  test("routes to the nodes of the compose file, and closes its connections before they do", () => {
    const [upstream] = (http as Block).blocks.filter(({ name }) => name === "upstream gatehouse");
    const servers = (upstream as Block).directives.filter(([name]) => name === "server");
    const { services } = readCompose("compose.postgres.yaml");
    const nodes = Object.keys(services).filter((name) => services[name]?.build !== undefined);
    expect(servers.map(([, address]) => address)).toEqual(nodes.map((name) => `${name}:8787`));
    const idleMs = limit("http/server/server.ts", "IDLE_MS_MAX");
    const kept = Number.parseInt(value(upstream as Block, "keepalive_timeout") ?? "", 10);
    expect(kept * 1000).toBeLessThan(idleMs);
  });
});

test("files that a trial or an installation leaves in a checkout are not committed", () => {
  const left = [
    "deploy/.env",
    "deploy/secrets.key",
    "deploy/tls/privkey.pem",
    "data/admin-token",
    "gatehouse.env",
    "deploy/gatehouse.env",
    "agent-key.json",
    "examples/x/platform-key.json",
    "restored/secrets.key",
    "restored/admin-token",
    "restored/gatehouse.db-wal",
    "gatehouse.backup",
    "gatehouse-backup-2030-05-17-03-00-00.ndjson.gz",
  ];
  const git = (...words: string[]) =>
    spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout;
  expect(
    git("check-ignore", "--no-index", ...left)
      .trim()
      .split("\n"),
  ).toEqual(left);
  expect(git("ls-files", "--cached", "--ignored", "--exclude-standard")).toBe("");
});

/** Keys of a unit that systemd has, as far as ours uses them (systemd.unit, .service, .exec). */
const UNIT_KEYS: Readonly<Record<string, readonly string[]>> = {
  Unit: ["Description", "Wants", "After"],
  Service: [
    "Type",
    "User",
    "Group",
    "WorkingDirectory",
    "StateDirectory",
    "StateDirectoryMode",
    "UMask",
    "Environment",
    "EnvironmentFile",
    "ExecStart",
    "ExecReload",
    "KillSignal",
    "KillMode",
    "TimeoutStopSec",
    "Restart",
    "RestartSec",
    "RestartPreventExitStatus",
    "LimitNOFILE",
    "NoNewPrivileges",
    "CapabilityBoundingSet",
    "AmbientCapabilities",
    "ProtectSystem",
    "ProtectHome",
    "PrivateTmp",
    "PrivateDevices",
    "ProtectProc",
    "ProtectClock",
    "ProtectHostname",
    "ProtectKernelLogs",
    "ProtectKernelModules",
    "ProtectKernelTunables",
    "ProtectControlGroups",
    "RestrictAddressFamilies",
    "RestrictNamespaces",
    "RestrictRealtime",
    "RestrictSUIDSGID",
    "LockPersonality",
    "RemoveIPC",
    "SystemCallArchitectures",
    "SystemCallFilter",
    "SystemCallErrorNumber",
  ],
  Install: ["WantedBy"],
};

describe("gatehouse.service", () => {
  const unit = readUnit("gatehouse.service");
  const service = Object.fromEntries(unit.Service ?? []);

  test("has only keys that systemd knows", () => {
    expect(Object.keys(unit)).toEqual(Object.keys(UNIT_KEYS));
    for (const [section, entries] of Object.entries(unit)) {
      const unknown = entries
        .map(([key]) => key)
        .filter((key) => !UNIT_KEYS[section]?.includes(key));
      expect(unknown).toEqual([]);
    }
  });

  test("is hardened: it has its own user, one folder to write in, and no new privileges", () => {
    expect(service).toMatchObject({
      User: "gatehouse",
      ProtectSystem: "strict",
      ProtectHome: "yes",
      NoNewPrivileges: "yes",
      StateDirectory: "gatehouse",
      StateDirectoryMode: "0700",
      PrivateTmp: "yes",
    });
  });

  test("stops by SIGTERM, and restarts unless its command line is wrong, because a database may start later", () => {
    expect([service.KillSignal, service.Restart]).toEqual(["SIGTERM", "on-failure"]);
    expect(Number(service.RestartPreventExitStatus)).toBe(EXIT.usage);
    expect(Number(service.TimeoutStopSec)).toBeGreaterThan(10);
  });

  test("does not run in the checkout, where a trial may have left settings", () => {
    expect(service.WorkingDirectory).toBe(`/var/lib/${service.StateDirectory}`);
    const words = (service.ExecStart ?? "").split(" ").slice(0, 2);
    for (const word of words) expect(word).toMatch(/^\//);
  });

  test("has settings that speak HTTPS, and keeps its data where systemd creates its folder", () => {
    expectHttps(readEnvFile(deployFile("gatehouse.env.example")));
    const entries = (unit.Service ?? []).filter(([key]) => key === "Environment");
    expect(entries.map(([, value]) => value)).toContain("GATEHOUSE_DATA_DIR=/var/lib/gatehouse");
  });
});

test("gatehouse-command.sh prefers variables of the shell to the settings file", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = "GATEHOUSE_DATA_DIR=/of/file\nGATEHOUSE_PORT=443\n";
  writeFileSync(join(folder, "gatehouse.env"), settings);
  const script = deployFile("gatehouse-command.sh")
    .replaceAll("/etc/gatehouse/", `${folder}/`)
    .replaceAll("/var/lib/gatehouse", folder)
    .replace(/^exec .*$/m, "env");
  const run = (env: Readonly<Record<string, string>>) => {
    const all = { PATH: process.env.PATH, ...env };
    return spawnSync("sh", ["-c", script], { env: all, encoding: "utf8" }).stdout.split("\n");
  };
  expect(run({})).toContain("GATEHOUSE_DATA_DIR=/of/file");
  const dataDir = "/of/the shell's $HOME";
  const both = [`GATEHOUSE_DATA_DIR=${dataDir}`, "GATEHOUSE_PORT=443"];
  expect(run({ GATEHOUSE_DATA_DIR: dataDir })).toEqual(expect.arrayContaining(both));
});

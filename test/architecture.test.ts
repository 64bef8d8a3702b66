import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  importedNames,
  nodesOf,
  root,
  type SourceFile,
  type SyntaxNode,
  sourcesIn,
  sourcesOf,
} from "./source.ts";

const packages = readdirSync(join(root, "packages"));
const manifest = (name: string) =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));

describe("packages", () => {
  /** Floors: a package may depend only on packages below it. */
  const FLOOR: Readonly<Record<string, number>> = {
    protocol: 0,
    embed: 0,
    "safe-fetch": 1,
    agent: 1,
    edge: 2,
    wordpress: 2,
    console: 2,
    server: 2,
    demo: 3,
    cli: 4,
  };

  test.each(packages)("%s depends only on packages below it", (name) => {
    const wanted = Object.keys(manifest(name).dependencies ?? {})
      .filter((dependency) => dependency.startsWith("@gatehouse/"))
      .map((dependency) => dependency.replace("@gatehouse/", ""));
    for (const below of wanted) expect(FLOOR[below]).toBeLessThan(FLOOR[name] as number);
  });

  test.each(packages)(
    "%s is something a person installs: its package names its reader and ships its files",
    (name) => {
      const { description, files, exports, bin, license } = manifest(name);
      expect(description.length).toBeGreaterThan(20);
      expect([exports ?? bin, files, license].every((value) => value !== undefined)).toBe(true);
      expect(existsSync(join(root, "packages", name, "README.md"))).toBe(true);
    },
  );

  test.each(packages)("%s pins exact versions", (name) => {
    const { dependencies = {}, devDependencies = {} } = manifest(name);
    for (const version of Object.values({ ...dependencies, ...devDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });
});

describe("the protocol package", () => {
  const sources = sourcesOf("protocol");

  test("runs anywhere: it has no node: import, and looks for Node's globals before it uses them", () => {
    for (const { path, text, imports } of sources) {
      expect([path, imports.filter((name) => name.startsWith("node:"))]).toEqual([path, []]);
      if (path.endsWith("/node-crypto.ts")) continue;
      expect([path, /\b(?:Buffer|process|require|__dirname)\b/.test(text)]).toEqual([path, false]);
    }
  });

  test("depends on few libraries: for checking keys, and for signatures on requests", () => {
    expect(Object.keys(manifest("protocol").dependencies)).toEqual([
      "@noble/ed25519",
      "http-message-sig",
      "structured-headers",
    ]);
  });
});

const server = sourcesOf("server");
const inside = (file: SourceFile) => file.imports.filter((name) => name.startsWith("packages/"));
/** The floor of a file, and its room on that floor. */
const floorOf = (path: string) => path.split("/")[3] as string;
const roomOf = (path: string) => path.split("/")[4] as string;
const edges = server.flatMap((file) => inside(file).map((target) => ({ from: file.path, target })));
const shown = (wrong: typeof edges) => wrong.map(({ from, target }) => `${from} → ${target}`);

describe("the layers of the server:", () => {
  const FLOORS = ["http", "actions", "purchase", "payments", "connectors", "domain", "infra"];

  test.each(FLOORS)("imports from %s point down only", (floor) => {
    const above = FLOORS.slice(0, FLOORS.indexOf(floor));
    const wrong = edges.filter(
      ({ from, target }) => floorOf(from) === floor && above.includes(floorOf(target)),
    );
    expect(shown(wrong)).toEqual([]);
  });

  /** What stands beside the layers: the folders of the server that it may import. */
  const BESIDE: Readonly<Record<string, readonly string[]>> = {
    config: ["config", "infra"],
    maintenance: ["maintenance", "config", ...FLOORS.slice(FLOORS.indexOf("actions"))],
  };
  /** Files in the root of the server that name a value or an error, and that every folder may import. */
  const NAMES_ONLY = ["startup-error.ts", "version.ts"];

  test.each(Object.entries(BESIDE))("%s imports only %j", (folder, allowed) => {
    const context = folder === "maintenance" ? ["context.ts"] : [];
    const wrong = edges.filter(
      ({ from, target }) =>
        floorOf(from) === folder &&
        ![...allowed, ...NAMES_ONLY, ...context].includes(floorOf(target)),
    );
    expect(shown(wrong)).toEqual([]);
  });

  test("only the root of the server imports maintenance, and no layer below purchase imports the context", () => {
    const wrong = edges.filter(({ from, target }) => {
      const isRoot = floorOf(from).endsWith(".ts");
      if (floorOf(target) === "maintenance") return !isRoot && floorOf(from) !== "maintenance";
      const isComposition =
        floorOf(target).endsWith(".ts") && !NAMES_ONLY.includes(floorOf(target));
      return isComposition && ["payments", "connectors", "domain", "infra"].includes(floorOf(from));
    });
    expect(shown(wrong)).toEqual([]);
  });

  test.each(["domain", "payments", "connectors"])(
    "rooms of %s do not import each other",
    (floor) => {
      const wrong = edges.filter(
        ({ from, target }) =>
          floorOf(from) === floor &&
          floorOf(target) === floor &&
          from.split("/").length > 5 &&
          target.split("/").length > 5 &&
          roomOf(from) !== roomOf(target),
      );
      expect(shown(wrong)).toEqual([]);
    },
  );

  test("http imports no store and no provider", () => {
    const wrong = edges.filter(
      ({ from, target }) =>
        floorOf(from) === "http" &&
        (target.endsWith("/store.ts") || floorOf(target) === "payments"),
    );
    expect(shown(wrong)).toEqual([]);
  });

  /** Constants of the two protocols, and functions that only read. Everything else takes an action. */
  const READ_BY_HTTP: Readonly<Record<string, readonly string[]>> = {
    "connectors/shop/contract.ts": ["PROOF", "SHOP_MESSAGES"],
    "connectors/shop/messages.ts": ["CHALLENGE", "VERIFIER", "id"],
    "purchase/identity.ts": ["identityOfEntry", "identityOfPlatform"],
    "purchase/orders/order-link.ts": ["orderLinkOfDecision"],
    "purchase/prices.ts": ["LINE_QUANTITY_MAX", "LINES_MAX"],
  };

  test("http calls nothing of purchase and connectors that settles, prices or uses the network", () => {
    const named = server
      .filter(({ path }) => floorOf(path) === "http")
      .flatMap(importedNames)
      .filter(({ target }) => ["purchase", "connectors"].includes(floorOf(target)))
      .map(({ target, name }) => `${target.replace("packages/server/src/", "")}: ${name}`);
    const allowed = Object.entries(READ_BY_HTTP).flatMap(([file, all]) =>
      all.map((name) => `${file}: ${name}`),
    );
    expect([...new Set(named)].sort()).toEqual(allowed.sort());
  });

  test("groups of http share http/server and do not import each other", () => {
    const wrong = edges.filter(
      ({ from, target }) =>
        floorOf(from) === "http" &&
        floorOf(target) === "http" &&
        !["server", roomOf(from)].includes(roomOf(target)),
    );
    expect(shown(wrong)).toEqual([]);
  });

  test("http imports no payment provider, and only providers import their libraries", () => {
    const wrong = edges.filter(
      ({ from, target }) => floorOf(from) === "http" && floorOf(target) === "payments",
    );
    expect(shown(wrong)).toEqual([]);
    const stripe = server.filter(({ imports }) => imports.includes("stripe"));
    expect(stripe.every(({ path }) => floorOf(path) === "payments")).toBe(true);
  });

  /** The files below `packages/server/src` whose code, not only its types, names one of these. */
  const users = (names: RegExp) =>
    server
      .filter(({ text }) => names.test(text))
      .map(({ path }) => path.replace("packages/server/src/", ""))
      .sort();

  /** Who calls each function of the stores that writes a decision, a review or a payment. */
  const WRITERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
    decisions: {
      insertDecision: ["purchase/commit.ts"],
      freeMandateId: ["purchase/commit.ts"],
      moveDecision: ["purchase/commit-review.ts", "purchase/outcome.ts"],
      deleteDecisions: ["actions/sites/delete-site.ts"],
    },
    reviews: {
      insertReview: ["purchase/commit.ts"],
      writeApprovals: ["purchase/commit-review.ts"],
      writeReviewEnd: ["purchase/commit-review.ts"],
      writeReopened: ["purchase/commit-review.ts"],
      endPaying: ["purchase/outcome.ts"],
      deleteReviews: ["actions/sites/delete-site.ts"],
      eraseReviewNotes: ["actions/buyers/erase-purchase.ts"],
    },
    payments: {
      insertPayment: ["purchase/commit.ts"],
      writePayment: [
        "purchase/orders/cancel-order.ts",
        "purchase/outcome.ts",
        "purchase/void-outcome.ts",
      ],
      claimPages: ["purchase/reconcile.ts"],
      claimPayment: ["purchase/reconcile.ts"],
      scheduleRecheck: ["purchase/settle.ts"],
    },
  };
  const textOf = (path: string) =>
    server.find((file) => file.path === `packages/server/src/${path}`)?.text ?? "";

  test.each(Object.entries(WRITERS))(
    "only the files that the rule names write %s",
    (subject, writers) => {
      const store = `domain/${subject}/store.ts`;
      const writing =
        /export (?:async )?function (\w+)\(\s*tx: Transaction|export const (\w+) = deleterOf\(/g;
      const exported = [...textOf(store).matchAll(writing)].map(([, one, other]) => one ?? other);
      expect(exported.sort()).toEqual(Object.keys(writers).sort());
      for (const [name, files] of Object.entries(writers)) {
        const callers = users(new RegExp(`\\b${name}\\b`)).filter((path) => path !== store);
        expect([name, callers]).toEqual([name, files]);
      }
    },
  );

  test("only the outcome of a payment creates an order", () => {
    expect(users(/\binsertOrder\b/)).toEqual(["domain/orders/store.ts", "purchase/outcome.ts"]);
  });

  test("only settle asks payment providers to authorize and to void", () => {
    const asking = users(/\bproviderOf\(/);
    expect(asking.filter((path) => !path.startsWith("purchase/"))).toEqual([]);
    for (const method of ["authorize", "voidAuthorization"]) {
      // By its name in the interface, so that a new name is noticed here.
      expect(textOf("payments/provider.ts")).toMatch(new RegExp(`^  ${method}\\(`, "m"));
      expect([method, users(new RegExp(`\\.${method}\\b`))]).toEqual([
        method,
        ["purchase/settle.ts"],
      ]);
    }
  });

  test("only one file asks payment providers to capture and to refund", () => {
    for (const method of ["capture", "refund"]) {
      expect(textOf("payments/provider.ts")).toMatch(new RegExp(`^  ${method}\\?\\(`, "m"));
      expect([method, users(new RegExp(`\\.${method}\\?\\.\\(`))]).toEqual([
        method,
        ["purchase/orders/settle-change.ts"],
      ]);
    }
  });

  test("SQL is only in stores, in infra and in the tables of a backup", () => {
    const SQL = /["'`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s/;
    const allowed = [/\/store\.ts$/, /\/infra\//, /\/maintenance\/tables\.ts$/];
    const wrong = server
      .filter(({ path, text }) => SQL.test(text) && !allowed.some((pattern) => pattern.test(path)))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  test("time, randomness, environment and network come through the composition root", () => {
    const FORBIDDEN =
      /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b|(?<![.\w])fetch\(/;
    const adapters = ["clock.ts", "ids.ts", "secrets/secrets.ts"].map(
      (name) => `packages/server/src/infra/${name}`,
    );
    const wrong = server
      .filter(({ path, text }) => FORBIDDEN.test(text) && !adapters.includes(path))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  test("no module has mutable state outside main, context and the adapters of infra", () => {
    const COLLECTION = /^(?:export )?const (\w+)\b[^=;]*= new (?:Map|Set|WeakMap|WeakSet)\b/gm;
    const isChanged = (text: string, name: string) =>
      new RegExp(`\\b${name}\\.(?:set|add|delete|clear)\\(`).test(text);
    const wrong = server
      .filter(({ path }) => !/\/src\/(?:main|context)\.ts$|\/src\/infra\//.test(path))
      .flatMap(({ path, text }) => [
        ...(/^(?:export )?let /m.test(text) ? [path] : []),
        ...[...text.matchAll(COLLECTION)]
          .filter(([, name]) => isChanged(text, name as string))
          .map(([, name]) => `${path}: ${name}`),
      ]);
    expect(wrong).toEqual([]);
  });

  test("only the clock starts timers", () => {
    const wrong = server
      .filter(
        ({ path, text }) => /\bset(?:Timeout|Interval)\(/.test(text) && !path.endsWith("/clock.ts"),
      )
      .map(({ path }) => path)
      // A socket's own idle time-out is part of the transport.
      .filter((path) => !/\/http\/server\/(?:server|open-connections)\.ts$/.test(path));
    expect(wrong).toEqual([]);
  });
});

test("docs/architecture.md names every folder of the server, and only files that are there", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, tree = ""] = /```\npackages\/server\/src\n([\s\S]*?)```/.exec(page) ?? [];
  const named = [...tree.matchAll(/^ {2}([\w.-]+)(\/?) /gm)];
  const source = join(root, "packages/server/src");
  const folders = readdirSync(source, { withFileTypes: true }).filter((one) => one.isDirectory());
  const namedFolders = named.filter(([, , slash]) => slash === "/").map(([, name]) => name);
  expect(namedFolders.sort()).toEqual(folders.map(({ name }) => name).sort());
  for (const [, name = ""] of named)
    expect([name, existsSync(join(source, name))]).toEqual([name, true]);
});

test("the composition root and the entry file stay short", () => {
  const lines = (path: string) => readFileSync(join(root, path), "utf8").split("\n").length;
  expect(lines("packages/server/src/main.ts")).toBeLessThanOrEqual(60);
  expect(lines("packages/server/src/app.ts")).toBeLessThanOrEqual(100);
});

test("no source file is longer than one job needs", () => {
  const long = packages
    .flatMap((name) => sourcesOf(name))
    .filter(({ text }) => text.split("\n").length > 300)
    .map(({ path }) => path);
  expect(long).toEqual([]);
});

test("at most 50 files of the server have fewer than 30 lines, migrations aside", () => {
  // A migration is one change of the schema, however short it is.
  const short = server
    .filter(({ path, text }) => !path.includes("/migrations/") && text.split("\n").length <= 30)
    .map(({ path }) => path);
  expect(short.length, `merge some of these:\n${short.join("\n")}`).toBeLessThanOrEqual(50);
});

describe("the code of every package", () => {
  const syntax = packages
    .flatMap((name) => sourcesOf(name))
    .map((file) => ({ ...file, nodes: nodesOf(file) }));

  /** What a node is without parentheses and `as const`. */
  const bare = (node: SyntaxNode): SyntaxNode =>
    /^(?:ParenthesizedExpression|TSAsExpression)$/.test(node.type)
      ? bare(node.expression as SyntaxNode)
      : node;

  test("writes members where they belong, and spreads no list or object that it has just written", () => {
    const packed = syntax.flatMap(({ path, text, nodes }) =>
      nodes
        .filter(({ type }) => /^(?:SpreadElement|JSXSpreadAttribute)$/.test(type))
        .filter(({ argument }) => {
          const { type, elements, properties } = bare(argument as SyntaxNode);
          const members = (elements ?? properties) as readonly unknown[] | undefined;
          return /^(?:Array|Object)Expression$/.test(type) && members?.length !== 0;
        })
        .map(({ start, end }) => `${path}: ${text.slice(start, end)}`),
    );
    expect(packed).toEqual([]);
  });

  /** What others made: documents of any service, tokens of a parser, errors of a driver. */
  const CHECKS_STRANGERS = [
    "packages/cli/src/commands/verify.ts",
    "packages/protocol/src/keys/jwk.ts",
    "packages/protocol/src/signed-message.ts",
    "packages/protocol/src/verify/key-set.ts",
    "packages/server/src/http/docs/markdown.ts",
    "packages/server/src/infra/db/sqlite-driver.ts",
  ];

  test("tells its own values apart by a tag, and only those of others by the members they have", () => {
    const asking = syntax
      .filter(({ nodes }) =>
        nodes.some(
          ({ type, operator, left }) =>
            type === "BinaryExpression" &&
            operator === "in" &&
            (left as SyntaxNode).type === "Literal",
        ),
      )
      .map(({ path }) => path);
    expect(asking.sort()).toEqual(CHECKS_STRANGERS);
  });

  /** Names that said nothing to a reader, or meant something else, and were replaced. */
  const REPLACED = new Set(
    (
      "Door FrontAnswers McpAnswers MandateAnswers Editions KeptEditions hastenPayment letGo lookAfter " +
      "lookAgain findOut givenUp FoldedRefusals tellOwner Told isTold tellOfReview aftermath rehearse " +
      "onceDecided Undone tend besides heldWhy siteAsItIs holdSite Places Allowance placeOf hearing upkeep desk"
    ).split(" "),
  );
  const isReplaced = (name: string) => REPLACED.has(name) || /^forget(?:[A-Z]|$)|Desk$/.test(name);
  /** A value is named after what it is, not after what was done to get it. */
  const NO_NOUN = /^(?:said|asked|made|told|about|found)$/;
  const PEOPLE_READ = ["packages/demo/src", "examples", "scripts", "test/guides"]
    .flatMap((folder) => sourcesIn(folder))
    .map((file) => ({ ...file, nodes: nodesOf(file) }));

  /** The names that a pattern declares. `{ a }` reads a member that others named, so it is not among them. */
  const declaredBy = (pattern: SyntaxNode | null): readonly string[] => {
    if (pattern === null) return [];
    const { type, name, left, argument, elements, properties, value, shorthand, parameter } =
      pattern;
    if (type === "Identifier") return [name as string];
    if (type === "Property") return shorthand === true ? [] : declaredBy(value as SyntaxNode);
    const parts = [left, argument, parameter, ...[elements ?? properties ?? []].flat()];
    return parts
      .filter((part) => part !== undefined && part !== null)
      .flatMap((part) => declaredBy(part as SyntaxNode));
  };
  const declaredIn = ({ type, id, params }: SyntaxNode) => {
    if (type === "VariableDeclarator") return declaredBy(id as SyntaxNode);
    return ((params ?? []) as readonly SyntaxNode[]).flatMap(declaredBy);
  };

  test("names values after what they are, and has none of the names that were replaced", () => {
    const wrong = [...syntax, ...PEOPLE_READ].flatMap(({ path, nodes }) => [
      ...nodes
        .filter(({ type, name }) => /^(?:JSX)?Identifier$/.test(type) && isReplaced(name as string))
        .map(({ name }) => `${path}: ${name}`),
      ...nodes
        .flatMap(declaredIn)
        .filter((name) => NO_NOUN.test(name))
        .map((name) => `${path}: ${name}`),
    ]);
    expect([...new Set(wrong)]).toEqual([]);
  });

  test.each(["server", "protocol", "cli", "console", "edge"])(
    "of %s defines units of time in one file",
    (name) => {
      const UNIT = /\b(?:60_000|3_600_000|86_400|86_400_000)\b/;
      const wrong = syntax
        .filter(
          ({ path }) => path.startsWith(`packages/${name}/`) && !/\/time[\w-]*\.ts$/.test(path),
        )
        .filter(({ text }) => UNIT.test(text))
        .map(({ path }) => path);
      expect(wrong).toEqual([]);
    },
  );

  test.each(["server", "console", "cli"])(
    "of %s imports nothing in a circle, not even types",
    (name) => {
      const files = syntax.filter(({ path }) => path.startsWith(`packages/${name}/`));
      const targets = new Map(files.map((file) => [file.path, inside(file)]));
      const done = new Set<string>();
      const circle = (path: string, way: readonly string[]): readonly string[] | undefined => {
        if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
        if (done.has(path)) return undefined;
        for (const target of targets.get(path) ?? []) {
          const closed = circle(target, [...way, path]);
          if (closed !== undefined) return closed;
        }
        done.add(path);
        return undefined;
      };
      for (const { path } of files) expect(circle(path, [])).toBeUndefined();
    },
  );
});

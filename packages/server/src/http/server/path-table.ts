import type { Route, RouteGroup } from "./exchange.js";

/** All routes of one path. */
export interface PathEntry {
  readonly group: RouteGroup;
  readonly byMethod: ReadonlyMap<string, Route>;
  /** Its methods, for the header `Allow`. */
  readonly allow: string;
}

export interface PathMatch {
  readonly path: string;
  readonly entry: PathEntry;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly regex: RegExp;
  readonly names: readonly string[];
  readonly entry: PathEntry;
}

const NO_PARAMS: PathMatch["params"] = Object.freeze({});
const PARAM = /(\/)?:(\w+)(?:\{(.+?)\}(?=\/|$))?(\?$)?/g;

/** Sorted, with HEAD if there is GET, and always with OPTIONS. */
function allowOf(methods: Iterable<string>): string {
  const all = new Set([...methods, "OPTIONS"]);
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort().join(", ");
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^$()[\]{}|\\]/g, "\\$&");
}

function compile(path: string, entry: PathEntry): Pattern {
  const names: string[] = [];
  let source = "";
  let end = 0;
  for (const match of path.matchAll(PARAM)) {
    const [whole, slash = "", name = "", pattern = "[^/]+", optional] = match;
    names.push(name);
    source += escaped(path.slice(end, match.index));
    const group = `${slash}(${pattern})`;
    source += optional === undefined ? group : `(?:${group})?`;
    end = match.index + whole.length;
  }
  source += escaped(path.slice(end));
  return { regex: new RegExp(`^${source}$`), names, entry };
}

/** The first two segments of a path. */
function headOf(path: string): string {
  const second = path.indexOf("/", 1);
  if (second === -1) return path;
  const third = path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}

/** The segments of a pattern in front of its first parameter, at most two. */
function fixedHead(path: string): string {
  const fixed = path.slice(0, path.indexOf(":"));
  const head = fixed.slice(0, fixed.lastIndexOf("/"));
  return headOf(head === "" ? "/" : head);
}

/** Paths whose match is cached. Most requests are for few paths. */
const CACHED_MAX = 10_000;
const CACHED_CHARS_MAX = 256;

/** Finds the routes of a path. Where several patterns match, the one that was listed first wins. */
export class PathTable {
  private readonly fixed = new Map<string, PathMatch>();
  /** By their first two segments, so that a path is compared with few of them. */
  private readonly patterns = new Map<string, Pattern[]>();

  private readonly cached = new Map<string, PathMatch>();

  constructor(groups: readonly RouteGroup[]) {
    for (const group of groups) this.add(group);
  }

  /** The match of a request target that was found before. */
  cachedMatch(target: string): PathMatch | undefined {
    return this.cached.get(target);
  }

  private add(group: RouteGroup): void {
    const byPath = new Map<string, Map<string, Route>>();
    for (const route of group.routes) {
      const byMethod = byPath.get(route.path) ?? new Map<string, Route>();
      if (!byMethod.has(route.method)) byMethod.set(route.method, route);
      byPath.set(route.path, byMethod);
    }
    for (const [path, byMethod] of byPath) {
      const entry = { group, byMethod, allow: allowOf(byMethod.keys()) };
      if (!path.includes(":")) {
        this.fixed.set(path, { path, entry, params: NO_PARAMS });
        continue;
      }
      const head = fixedHead(path);
      this.patterns.set(head, [...(this.patterns.get(head) ?? []), compile(path, entry)]);
    }
  }

  find(path: string, target: string): PathMatch | undefined {
    const match = this.fixed.get(path) ?? this.findPattern(path);
    if (match !== undefined && target.length <= CACHED_CHARS_MAX) {
      if (this.cached.size >= CACHED_MAX) this.cached.clear();
      this.cached.set(target, match);
    }
    return match;
  }

  private findPattern(path: string): PathMatch | undefined {
    const head = headOf(path);
    const first = path.slice(0, path.indexOf("/", 1));
    return this.among(this.patterns.get(head), path) ?? this.among(this.patterns.get(first), path);
  }

  private among(patterns: readonly Pattern[] | undefined, path: string): PathMatch | undefined {
    if (patterns === undefined) return undefined;
    for (const { regex, names, entry } of patterns) {
      const match = regex.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = {};
      for (let i = 0; i < names.length; i++) {
        const value = match[i + 1];
        if (value !== undefined) {
          params[names[i] as string] = value.includes("%") ? decodeURIComponent(value) : value;
        }
      }
      return { path, entry, params };
    }
    return undefined;
  }
}

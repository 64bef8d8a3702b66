import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isKnownAgent,
  type JsonValue,
  KNOWN_AGENTS,
  namedType,
  prefersMarkdown,
  readPage,
  readVisitReport,
  signingAgent,
  visitReport,
} from "../src/index.ts";

const RUNS = { numRuns: 2_000, seed: 9421 };
const TEXT = fc.oneof(
  fc.string(),
  fc.string({ minLength: 100, maxLength: 3_000, unit: "binary" }),
  // Cut at 512, the last one is half a character.
  fc.nat(2).map((n) => `${"a".repeat(510 + n)}\u{1f600}`),
);

describe("a report of visits", () => {
  test("is readable, whatever strangers put into the requests it describes", () => {
    const signature = fc.record({
      outcome: fc.constantFrom("verified" as const, "invalid" as const, "unverified" as const),
      reason: fc.option(TEXT),
      keyId: fc.option(TEXT),
      agentUrl: fc.option(TEXT.map((text) => `https://agent.example/${text}`)),
    });
    const page = TEXT.map((text) => {
      const found = readPage(
        `https://shop.example.com/${encodeURIComponent(text.replace(/[\uD800-\uDFFF]/gu, ""))}`,
        "",
      );
      return found.ok ? found.value : undefined;
    });
    const visit = fc.record({
      observedAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      userAgent: TEXT,
      page: fc.oneof(fc.constant(undefined), page),
      signature: fc.option(signature, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(visit, { minLength: 1, maxLength: 3 }), (visits) => {
        const sent = JSON.parse(JSON.stringify(visitReport(visits))) as JsonValue;
        const read = readVisitReport(sent);
        // None but those that could not be read at all are left out.
        const kept = visits.filter(({ signature }) => {
          const { outcome, keyId, agentUrl } = signature ?? {};
          const named = keyId !== null && agentUrl !== null;
          return (agentUrl?.length ?? 0) <= 2048 && (outcome !== "verified" || named);
        });
        const none = (sent as { visits: unknown[] }).visits.length === 0;
        expect(read.ok || none).toBe(true);
        expect(read.ok ? read.value.length : 0).toBe(kept.length);
      }),
      RUNS,
    );
  });

  test("is read or refused, whatever it contains", () => {
    const member = fc.record(
      {
        observed_at: fc.oneof(fc.constant("2030-05-17T12:00:00Z"), fc.jsonValue()),
        page_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
        user_agent: fc.jsonValue(),
        signature: fc.oneof(fc.jsonValue(), fc.record({ outcome: fc.constant("verified") })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(member), (visits) => {
        const read = readVisitReport({ visits } as unknown as JsonValue);
        expect(read.ok || read.reason === "invalid").toBe(true);
      }),
      RUNS,
    );
  });
});

test("a page with a host name that is too long is refused", () => {
  const labels = Array.from({ length: 20 }, () => "a".repeat(60)).join(".");
  expect(readPage(`https://${labels}.example.com/`, "url").ok).toBe(false);
  const long = readPage(`https://shop.example.com/${"x".repeat(1500)}`, "url");
  expect(long.ok ? long.value?.url.length : 0).toBe("https://shop.example.com".length + 1024);
});

describe("an agent that signs", () => {
  test("is known by the exact origin of its keys", () => {
    const directory = "/.well-known/http-message-signatures-directory";
    expect(signingAgent(`https://chatgpt.com${directory}`).name).toBe("ChatGPT agent");
    // Whoever can put a file on a host is not the host.
    expect(signingAgent("https://chatgpt.com/u/file.json").name).toBe("chatgpt.com/u/file.json");
    for (const other of ["https://chatgpt.com.evil.example/", "https://chatgpt.com:8443/"]) {
      expect(signingAgent(other).operator).toBe(new URL(other).host);
    }
  });

  test("is counted by name only if the name is in the table", () => {
    expect(KNOWN_AGENTS.every(({ name }) => isKnownAgent(name))).toBe(true);
    expect(isKnownAgent("ChatGPT agent")).toBe(true);
    expect(isKnownAgent("evil.example")).toBe(false);
  });
});

test("a client gets Markdown if it names it and prefers nothing else", () => {
  const cases: [string, boolean][] = [
    ["text/markdown", true],
    ["text/markdown, text/html;q=0.9", true],
    ["text/html, text/markdown;q=0.5", false],
    ["text/markdown;q=0", false],
    ["*/*", false],
    ["", false],
  ];
  for (const [accept, wanted] of cases) {
    expect(prefersMarkdown(accept, "text/html; charset=utf-8")).toBe(wanted);
  }
});

test("a client gets the type that it names and prefers, and the first of ours among equals", () => {
  const cases: [string | undefined, string | undefined][] = [
    ["text/html, */*;q=0.8", "text/html"],
    ["text/html;q=0.4, text/markdown;q=0.5", "text/markdown"],
    ["text/html, text/markdown", "text/markdown"],
    ["TEXT/HTML", "text/html"],
    ["text/html;q=0", undefined],
    ["text/html;q=-1", undefined],
    ["text/*, */*", undefined],
    ["", undefined],
    [undefined, undefined],
  ];
  for (const [accept, wanted] of cases) {
    expect([accept, namedType(accept, ["text/markdown", "text/html"])]).toEqual([accept, wanted]);
  }
});

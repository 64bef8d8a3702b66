import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isKnownAgent,
  type JsonValue,
  KNOWN_AGENTS,
  prefersMarkdown,
  readVisitReport,
  signingAgent,
  visitReport,
} from "../src/index.ts";

const RUNS = { numRuns: 2_000, seed: 9421 };
const TEXT = fc.oneof(fc.string(), fc.string({ minLength: 100, maxLength: 3_000, unit: "binary" }));

describe("a report of visits", () => {
  test("is readable whatever strangers put into the requests it tells of", () => {
    const signature = fc.record({
      outcome: fc.constantFrom("invalid" as const, "unverified" as const),
      reason: fc.option(TEXT),
      keyId: fc.option(TEXT),
      agentUrl: fc.option(TEXT.map((text) => `https://agent.example/${text}`)),
    });
    const visit = fc.record({
      observedAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      userAgent: TEXT,
      page: fc.constant(undefined),
      signature: fc.option(signature, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(visit, { minLength: 1, maxLength: 3 }), (visits) => {
        const sent = JSON.parse(JSON.stringify(visitReport(visits))) as JsonValue;
        const read = readVisitReport(sent);
        expect(read.ok).toBe(true);
        if (read.ok) expect(read.value.length).toBe(visits.length);
      }),
      RUNS,
    );
  });

  test("is a value or a refusal, whatever it is", () => {
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

describe("an agent that signs", () => {
  test("is known by where its keys stand, to the letter of the origin", () => {
    expect(signingAgent("https://chatgpt.com/keys").name).toBe("ChatGPT agent");
    for (const other of ["https://chatgpt.com.evil.example/", "https://chatgpt.com:8443/"]) {
      expect(signingAgent(other).operator).toBe(new URL(other).host);
    }
  });

  test("is counted by name only where the name is in the table", () => {
    expect(KNOWN_AGENTS.every(({ name }) => isKnownAgent(name))).toBe(true);
    expect(isKnownAgent("ChatGPT agent")).toBe(true);
    expect(isKnownAgent("evil.example")).toBe(false);
  });
});

test("Markdown is for whoever names it and likes it no less", () => {
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

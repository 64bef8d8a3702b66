import fc from "fast-check";

/** `npm test` samples with a fixed seed; `npm run test:long` sets the full count. */
const RUNS_SAMPLED = 20_000;
const environment = (globalThis as { process?: { env: Record<string, string | undefined> } })
  .process?.env;

/** Where the same tests run again, in other runtimes, fewer samples do. */
declare const FUZZ_RUNS_HERE: number;
const sampled = typeof FUZZ_RUNS_HERE === "number" ? FUZZ_RUNS_HERE : RUNS_SAMPLED;

export const fuzzRuns = {
  numRuns: Number(environment?.FUZZ_RUNS ?? sampled),
  seed: Number(environment?.FUZZ_SEED ?? 8785),
};

const junk = fc.constantFrom(
  ...'{}[],:"\\ \n0-9.eE+truefalsnu/\u0000\u00e9\ud800\udc00\ufeff'.split(""),
  "__proto__",
  "\\u0061",
  "\\ud800",
  "1e400",
  "-0",
  "9007199254740993",
);

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));

/** JSON texts, a good part of them damaged in one or two places. */
export const mutatedJson = fc.oneof(
  json,
  fc
    .tuple(json, fc.array(fc.tuple(fc.nat(), fc.nat(2), junk), { minLength: 1, maxLength: 2 }))
    .map(([text, edits]) => {
      let edited = text;
      for (const [where, cut, insert] of edits) {
        const at = where % (edited.length + 1);
        edited = edited.slice(0, at) + insert + edited.slice(at + cut);
      }
      return edited;
    }),
);

/**
 * `node scripts/lint-words.mjs [files]` checks that what people read is plain: no phrase of the lists in
 * words/rules.mjs, and no sentence that is too long. Without files it checks all documents and the texts of
 * the console.
 */
import { readdirSync, readFileSync } from "node:fs";
import { consoleFiles, textsOf } from "./words/console.mjs";
import { sentencesOf } from "./words/markdown.mjs";
import {
  CONSOLE_PHRASES,
  LONG_PERCENT_MAX,
  LONG_WORDS,
  PHRASES,
  WORDS_MAX,
} from "./words/rules.mjs";

/** Decisions and this list of dependencies are for people who change the code. */
const NOT_READ = /^docs\/(?:decisions\/|dependencies\.md)/;

function documents() {
  const below = readdirSync("docs", { recursive: true, encoding: "utf8" });
  const docs = below.map((name) => `docs/${name}`).filter((name) => name.endsWith(".md"));
  return ["README.md", "CHANGELOG.md", "SECURITY.md", ...docs].filter(
    (name) => !NOT_READ.test(name),
  );
}

const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;

function phrasesIn(sentence, phrases) {
  return phrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(sentence);
    return found === null ? [] : [`"${found[0]}" (write: ${instead}) in: ${sentence}`];
  });
}

/** Texts of the console are labels and short sentences, so only their words are checked. */
function consoleFaults(file) {
  return textsOf(file).flatMap((text) => phrasesIn(text, [...PHRASES, ...CONSOLE_PHRASES]));
}

function faultsOf(file) {
  if (/\.tsx?$/.test(file)) return consoleFaults(file);
  const sentences = sentencesOf(readFileSync(file, "utf8"));
  const faults = [];
  for (const sentence of sentences) {
    faults.push(...phrasesIn(sentence, PHRASES));
    const words = wordsIn(sentence);
    if (words > WORDS_MAX) faults.push(`${words} words, at most ${WORDS_MAX}: ${sentence}`);
  }
  const long = sentences.filter((sentence) => wordsIn(sentence) > LONG_WORDS).length;
  const percent = Math.round((long / Math.max(sentences.length, 1)) * 100);
  if (percent > LONG_PERCENT_MAX) {
    faults.push(
      `${percent} % of its sentences have more than ${LONG_WORDS} words, at most ${LONG_PERCENT_MAX} %`,
    );
  }
  return faults;
}

const named = process.argv.slice(2);
let count = 0;
for (const file of named.length === 0 ? [...documents(), ...consoleFiles()] : named) {
  for (const fault of faultsOf(file)) {
    count += 1;
    console.error(`${file}: ${fault}`);
  }
}
console.log(count === 0 ? "Words: no problems found." : `Words: ${count} to fix.`);
process.exitCode = count === 0 ? 0 : 1;

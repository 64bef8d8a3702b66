import { readFileSync } from "node:fs";
import { sentencesIn, sentencesOf } from "./markdown.mjs";
import { CONSOLE_PHRASES, LONG_PERCENT_MAX, LONG_WORDS, PHRASES, WORDS_MAX } from "./rules.mjs";
import { textsOf } from "./texts.mjs";

/** Pages of the console and of the plugin are for shop owners. */
const FOR_OWNERS = /^packages\/(?:console|wordpress)\//;
/** Style sheets, and lists of words or codes without a sentence. */
const NO_SENTENCE = /[{}]|^[^.,:;?!]*$/;
/** Elements of a page that do not end a sentence. */
const INLINE = /<\/?(?:a|b|em|span|strong)\b[^>]*>/g;
const BLOCK = /<[a-z!/][^>]*>/i;

const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;

function phrasesIn(sentence, phrases) {
  return phrases.flatMap(([phrase, instead]) => {
    const match = phrase.exec(sentence);
    return match === null ? [] : [`"${match[0]}" (write: ${instead}) in: ${sentence}`];
  });
}

function lengthFaults(sentence) {
  const words = wordsIn(sentence);
  return words > WORDS_MAX ? [`${words} words, at most ${WORDS_MAX}: ${sentence}`] : [];
}

/** What is wrong with a text of a program. Names of the API in it are written as code. */
export function textFaults(text, phrases = PHRASES) {
  const plain = text.replace(/`[^`]*`|<code>.*?<\/code>/g, "code");
  const blocks = plain.replace(INLINE, "").split(BLOCK);
  const long = blocks
    .filter((block) => !NO_SENTENCE.test(block))
    .flatMap((block) => sentencesIn(block).flatMap(lengthFaults));
  return [...phrasesIn(plain, phrases), ...long];
}

function documentFaults(sentences) {
  const faults = sentences.flatMap((sentence) => [
    ...phrasesIn(sentence, PHRASES),
    ...lengthFaults(sentence),
  ]);
  const long = sentences.filter((sentence) => wordsIn(sentence) > LONG_WORDS).length;
  const percent = Math.round((long / Math.max(sentences.length, 1)) * 100);
  if (percent > LONG_PERCENT_MAX) {
    faults.push(
      `${percent} % of its sentences have more than ${LONG_WORDS} words, at most ${LONG_PERCENT_MAX} %`,
    );
  }
  return faults;
}

/** The fields at the top of the `readme.txt` of a WordPress plugin, which are not sentences. */
const PLUGIN_FIELDS = /^=== .* ===\n(?:[\w ]+: .*\n)+/;

/** What is wrong with the words of a file: a document, or a program with texts in it. */
export function faultsOf(file) {
  if (!/\.(?:[jt]sx?|php)$/.test(file)) {
    const text = readFileSync(file, "utf8").replace(PLUGIN_FIELDS, "");
    return documentFaults(sentencesOf(text));
  }
  const phrases = FOR_OWNERS.test(file) ? [...PHRASES, ...CONSOLE_PHRASES] : PHRASES;
  return textsOf(file).flatMap((text) => textFaults(text, phrases));
}

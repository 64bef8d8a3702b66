/**
 * How Gatehouse writes for people: ordinary words in short sentences. Each entry is a phrase that readers had
 * to read twice, and what to write instead. Comments in the code are not checked.
 */
export const PHRASES = [
  [/\bwhoever\b/i, "the person who, anyone who"],
  [/\bwhichever\b/i, "name the cases"],
  [/\bwhatever\b/i, "any, everything that"],
  [/\bthat is so\b/i, "say what is true"],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, "is notified, sees, knows"],
  [/\b(?:tell|tells|told) (?:owners|the owner|you of|us of)\b/i, "notify"],
  [/\bhas it that\b/i, "says that"],
  [/\b(?:its|their|your|our) own\b (?=is|are|was|were)/i, "name the thing"],
  [/\bof (?:its|their|your|our) own\b/i, "its own …"],
  [/\bat hand\b/i, "ready, available"],
  [/\brehears\w*/i, "test"],
  [/\btak(?:e|es|en|ing) the money\b/i, "capture"],
  [/\blaps(?:e|es|ed|ing)\b/i, "expire"],
  [/\b(?:given|gives|giving|give) up\b/i, "cancelled, stopped, voided"],
  [/\blet(?:s|ting)? go\b/i, "void"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\bhangs? together\b/i, "fits together, is connected"],
  [/\b(?:tak(?:e|es|ing)|took) \w+ (?:site|shop|page) on\b|\btake on a site\b/i, "add a site"],
  [/\bneeds you now\b/i, "needs review"],
  [/\bleft to a person\b|\bleave to a person\b/i, "needs review"],
  [/\bnothing to complain\b/i, "no problems found"],
  [/\bof another age\b/i, "incompatible version"],
  [/, else (?:it|they|the|there|you|a|an|that|this|its)\b/i, "otherwise"],
  [/\balso (?:if|when)\b/i, "even if, even when"],
  [/\bbut for\b/i, "except for"],
  [/\bbeyond (?:them|it|that)\b/i, "above this limit"],
  [/\bas (?:many|much|long|far) as there (?:is|are)\b/i, "all"],
  [/\bin hand\b/i, "available"],
  [/\bby itself alone\b/i, "by itself"],
  [/\bno (?:such )?thing of\b/i, "none of"],
  [/\bgood for nothing\b/i, "invalid"],
  [/\bthereof|therein|thereby|herein|hereby|whereby|wherein\b/i, "say it directly"],
];

/** Words of the code that the console replaces for shop owners. */
export const CONSOLE_PHRASES = [
  [/\bprocessors?\b/i, "payment provider"],
  [/(?<!privacy )\bpolic(?:y|ies)\b/i, "rules"],
  [/\bmandates?\b/i, "request"],
  [/\bskills?\b(?!:)/i, "action"],
  [/\bescalat\w+/i, "needs review"],
  [/\bset-up\b/i, "setup"],
  [/\b(?:go|goes|going) on\b/i, "continue"],
  [/\bholds?\b/i, "contains, is valid"],
  [/\bstands?\b/i, "is"],
  [/\btaken\b/i, "captured, used"],
  [/\bfor good\b/i, "permanently"],
  [/\bat once\b/i, "immediately"],
  [/\b(?:is|are) like that\b/i, "found"],
  [/\bin force\b/i, "current, published"],
  [/\bwhat became of\b|\bwhat becomes of\b/i, "result"],
  [/\bvouch\b|\bforgotten\b|\banew\b/i, "verify, deleted, again"],
  [/\ball of them\b/i, "all"],
  [/\bthat cannot be undone\b/i, "You cannot undo this."],
  [/\byours to see\b/i, "you have access to"],
];

/** Longer sentences are read twice. */
export const WORDS_MAX = 30;
/** Of the sentences of a document, in percent: the longer ones must stay the exception. */
export const LONG_PERCENT_MAX = 25;
export const LONG_WORDS = 20;

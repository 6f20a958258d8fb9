/** A phrase that makes a reader stop, and the usual words for it. */
export type Phrase = { pattern: RegExp; plain: string };

/**
 * Phrases that were removed and must not come back. A blank stands for any white space, so a phrase is found across line ends too.
 * Add a phrase here when you replace it everywhere.
 */
export const phrases: readonly Phrase[] = [
  // Idioms of this project alone.
  { pattern: /what (?:becomes|became|has become) of/, plain: "what happens to" },
  { pattern: /(?:is|are|was|were|be|been) told/, plain: "gets, receives, or is shown" },
  { pattern: /whose words?/, plain: "the caller, or who decides" },
  { pattern: /(?:'s|the chain's|its|nobody's) word(?! for)/, plain: "statement, or authority" },
  { pattern: /word by which/, plain: "shared secret, or name" },
  { pattern: /of (?:its|their|our|his|her|one's) own/, plain: "its own …, or a separate …" },
  { pattern: /one's own/, plain: "your own" },
  { pattern: /anew/, plain: "again" },
  { pattern: /there and blank/, plain: "set but empty" },
  { pattern: /nobody is authenticated/, plain: "every authenticated request gets 401" },
  { pattern: /however it came/, plain: "from any transport" },
  { pattern: /say the last of/, plain: "close" },
  { pattern: /nothing is heard/, plain: "later events are ignored" },
  { pattern: /may still bring/, plain: "remaining quota" },
  { pattern: /gives? (?:its|their) days free/, plain: "releases its reserved days" },
  { pattern: /wake-up calls/, plain: "wake listeners" },
  { pattern: /(?:set|done|made) by half/, plain: "set incompletely" },
  { pattern: /(?:is|are) answered (?:with )?\d{3}/, plain: "gets 404, or returns 404" },
  { pattern: /made good/, plain: "repaired, or completed" },
  { pattern: /(?:put|puts) right/, plain: "correct, or fix" },
  { pattern: /(?:come|comes|came) to nothing/, plain: "fail" },
  { pattern: /taken? leave/, plain: "permission is withdrawn" },
  { pattern: /bring(?:s|ing)? about|brought about/, plain: "cause" },
  { pattern: /thieves'|thief's/, plain: "attacker's" },

  // Old or bookish words.
  {
    pattern: /(?:lies|lie|lay) (?:in|on|at|there|under|below|above|with|where|outside|elsewhere)/,
    plain: "is in, or is stored in",
  },
  { pattern: /(?:stands|stand|stood) (?:in|on|there|beside|under|as|twice|before)/, plain: "is in, or is on" },
  { pattern: /at once/, plain: "immediately, or together" },
  { pattern: /beside/, plain: "next to, in addition to, or besides" },
  { pattern: /whoever|whosoever/, plain: "anyone who" },
  { pattern: /for good(?! reason)/, plain: "permanently" },
  { pattern: /amiss/, plain: "wrong" },
  { pattern: /need be/, plain: "if necessary" },
  { pattern: /vouch(?:es|ed)? for/, plain: "attest" },
  { pattern: /likewise/, plain: "also" },
  { pattern: /thereof|hereby|whereby|wherein|whence|thereupon/, plain: "of it, by it, in it" },
  { pattern: /passed over/, plain: "skipped" },
  { pattern: /(?:taken|takes|take|took) for (?:a|an|the)/, plain: "treated as" },
  { pattern: /rulings?/, plain: "decision" },
  {
    pattern: /(?<!there )(?:is|are) no (?!longer|more|less|fewer|later|earlier|greater|larger|such|wider|faster)[a-z]+/,
    plain: "is not a",
  },
  { pattern: /by (?:whom|whomever)/, plain: "by any caller, or name the caller" },
  { pattern: /gone by/, plain: "passed" },
  { pattern: /strangers?/, plain: "anonymous client, or another user" },
  { pattern: /foretells?/, plain: "check in advance" },
  { pattern: /(?:hold|holds|held) (?:it |them |everything )?against/, plain: "compare with" },
  { pattern: /(?:goes|go|went) on/, plain: "continue" },
  { pattern: /(?:is|are|was|were) given up/, plain: "is aborted, or is abandoned" },
  { pattern: /as (?:it|they) stands?/, plain: "as printed, or the current …" },
  { pattern: /be had/, plain: "be obtained, or is available" },
  { pattern: /com(?:e|es|ing) by(?! itself| themselves)/, plain: "pass" },
  { pattern: /had (?:twice|once|in two ways)/, plain: "computed twice" },
];

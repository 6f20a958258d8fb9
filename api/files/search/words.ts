/** Bytes at the beginning of a file that search indexes. */
export const searchedBytes = 262_144;
/** Most different words that are indexed for a file. */
const maxWords = 2_048;
/** Longer runs of letters are data, not words. */
const maxWordLength = 64;

const binaryTypes = /^(audio|font|image|video)\/(?!svg)|^application\/(pdf|zip|gzip|zstd|x-7z|x-tar|vnd\.rar|wasm)/i;
const run = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]/u;
const segmenter = new Intl.Segmenter("und", { granularity: "word" });
const accents = /[\u0300-\u036f]/g;

/** False for media types that are never text. */
export function mayBeText(mimeType: string): boolean {
  return !binaryTypes.test(mimeType);
}

/** Decode a file's first bytes; undefined when they are not UTF-8 text. An incomplete character at the end is left out. */
export function textOf(mimeType: string, head: Uint8Array): string | undefined {
  if (!mayBeText(mimeType) || head.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}

/** Collect the different words of a file's first bytes, for its search tags; none when it is not text. */
export function wordsOf(mimeType: string, head: Uint8Array): string[] {
  const text = textOf(mimeType, head.subarray(0, searchedBytes));
  return text === undefined ? [] : wordsIn(text);
}

/** Collect the different words of a text, normalized for search: case, accents and letter forms are ignored. */
export function wordsIn(text: string): string[] {
  const words = new Set<string>();
  for (const { word } of eachWord(text)) {
    words.add(word);
    if (words.size === maxWords) break;
  }
  return [...words];
}

/** Yield every word of a text with its position. */
export function* eachWord(text: string): Generator<{ word: string; start: number; end: number }> {
  for (const { 0: piece, index } of text.matchAll(run)) {
    const parts = unspaced.test(piece) ? segmenter.segment(piece) : [{ segment: piece, index: 0 }];
    for (const part of parts) {
      const start = index + part.index;
      // Decomposed and recomposed, so that letters that differ only in form compare as equal.
      const word = part.segment.normalize("NFKD").replace(accents, "").normalize("NFKC").toLowerCase();
      if (word !== "" && word.length <= maxWordLength) yield { word, start, end: start + part.segment.length };
    }
  }
}

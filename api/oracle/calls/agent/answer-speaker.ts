/** Shortest piece in characters, except the last: a voice speaks whole sentences better. */
const shortest = 24;

/** Speaks an answer sentence by sentence while it is generated. */
export class AnswerSpeaker {
  readonly #synthesise: (sentence: string) => Promise<Int16Array>;
  readonly #say: (samples: Int16Array) => void;
  readonly #isCurrent: () => boolean;
  readonly #segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  /** Number of characters that were already taken. */
  #taken = 0;
  #speaking: Promise<void> = Promise.resolve();

  /** @param isCurrent returns false once the user speaks again: then nothing more is spoken */
  constructor(
    synthesise: (sentence: string) => Promise<Int16Array>,
    say: (samples: Int16Array) => void,
    isCurrent: () => boolean,
  ) {
    this.#synthesise = synthesise;
    this.#say = say;
    this.#isCurrent = isCurrent;
  }

  /** Resolves when all pushed text was passed to the player. @throws Error when speech synthesis fails */
  get ended(): Promise<void> {
    return this.#speaking;
  }

  /** @param text the whole answer so far */
  push(text: string, isFinal: boolean): void {
    let piece = "";
    const sentences = [...this.#segmenter.segment(text.slice(this.#taken))].map(({ segment }) => segment);
    for (const [i, sentence] of sentences.entries()) {
      const isLast = i === sentences.length - 1;
      if (isLast && !isFinal) return;
      piece += sentence;
      if (piece.length < shortest && !isLast) continue;
      this.#taken += piece.length;
      this.#speak(piece.trim());
      piece = "";
    }
  }

  #speak(words: string): void {
    if (words === "") return;
    const speak = async () => {
      if (!this.#isCurrent()) return;
      const samples = await this.#synthesise(words);
      if (this.#isCurrent()) this.#say(samples);
    };
    // After a failure nothing more is tried; `ended` rejects.
    this.#speaking = this.#speaking.then(speak);
    this.#speaking.catch(() => {});
  }
}

/** Pieces are no shorter than this, but for the last: a voice speaks whole sentences better. In characters. */
const shortest = 24;

/** Speaks an answer sentence by sentence while it is made. */
export class AnswerSpeaker {
  readonly #synthesise: (sentence: string) => Promise<Int16Array>;
  readonly #say: (samples: Int16Array) => void;
  readonly #isCurrent: () => boolean;
  readonly #segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  /** How much of the text has been taken. */
  #taken = 0;
  #speaking: Promise<void> = Promise.resolve();

  /** @param isCurrent false once something else is heard: then nothing more is spoken */
  constructor(
    synthesise: (sentence: string) => Promise<Int16Array>,
    say: (samples: Int16Array) => void,
    isCurrent: () => boolean,
  ) {
    this.#synthesise = synthesise;
    this.#say = say;
    this.#isCurrent = isCurrent;
  }

  /** Resolves when all that was pushed is handed over to be said. @throws Error when there is no voice for it */
  get ended(): Promise<void> {
    return this.#speaking;
  }

  /** @param text all of the answer so far */
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
    // After a failure nothing more is tried; `ended` tells.
    this.#speaking = this.#speaking.then(speak);
    this.#speaking.catch(() => {});
  }
}

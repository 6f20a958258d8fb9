/** Tells the user how far a backup or a restore has come: each step, and every two seconds how many blobs. */
export class Progress {
  readonly #say: (line: string) => void;
  #blobs = 0;
  #bytes = 0;
  #saidAt = Date.now();

  constructor(say: (line: string) => void = (line) => console.error(line)) {
    this.#say = say;
  }

  step(line: string): void {
    this.#say(line);
  }

  blob(size: number): void {
    this.#blobs += 1;
    this.#bytes += size;
    if (Date.now() - this.#saidAt < 2_000) return;
    this.#saidAt = Date.now();
    this.#say(`  ${this.#blobs} blobs, ${(this.#bytes / 1e6).toFixed(1)} MB`);
  }
}

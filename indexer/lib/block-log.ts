import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Lines after which the log is rewritten, and how many of the highest blocks it then keeps. */
const longest = 4_000;
const kept = 500;

/** Hashes of blocks that the chain had while the indexer ran, one `number hash` per line; the last line of a block is valid. */
export class BlockLog {
  #file: string;
  #hashes: Map<number, `0x${string}`>;
  #lines: number;

  constructor(file: string) {
    this.#file = file;
    this.#hashes = new Map();
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    for (const line of lines) {
      const [number, hash] = line.split(" ");
      // The last line may be incomplete after a kill.
      if (number !== undefined && /^0x[0-9a-f]{64}$/.test(hash ?? "")) {
        this.#hashes.set(Number(number), hash as `0x${string}`);
      }
    }
    this.#lines = lines.length;
  }

  /** The blocks from a number on, lowest first. */
  from(first: number): [number: number, hash: `0x${string}`][] {
    return [...this.#hashes].filter(([number]) => number >= first).sort(([a], [b]) => a - b);
  }

  /** Record a block; it is on disk when the call returns. */
  note(number: number, hash: `0x${string}`): void {
    if (this.#hashes.get(number) === hash) return;
    this.#hashes.set(number, hash);
    mkdirSync(dirname(this.#file), { recursive: true });
    // The line break is written first, so that an incomplete line is never joined with the next.
    appendFileSync(this.#file, `\n${number} ${hash}`);
    this.#lines += 1;
    if (this.#lines > longest) this.#shorten();
  }

  #shorten(): void {
    const highest = [...this.#hashes].sort(([a], [b]) => b - a).slice(0, kept);
    this.#hashes = new Map(highest.reverse());
    const draft = `${this.#file}.draft`;
    writeFileSync(draft, [...this.#hashes].map(([number, hash]) => `${number} ${hash}`).join("\n"));
    renameSync(draft, this.#file);
    this.#lines = this.#hashes.size;
  }
}

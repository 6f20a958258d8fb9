import { AppError } from "../errors.ts";

/** Counts what stays open (event streams, sockets) for each of those who opened it, up to a limit. */
export class OpenPlaces {
  readonly #perOwner: number;
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  /** @param what in the plural, for the error message */
  constructor(perOwner: number, what: string) {
    this.#perOwner = perOwner;
    this.#what = what;
  }

  /**
   * Take a place for the owner.
   * @returns a function that gives the place back, once however often it is called
   * @throws AppError RATE_LIMITED when the owner has no place left
   */
  take(owner: string): () => void {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#perOwner) {
      const message = `${this.#perOwner} ${this.#what} are open. Close one before you open another.`;
      throw new AppError("RATE_LIMITED", message, { headers: { "Retry-After": "15" } });
    }
    this.#taken.set(owner, own + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
    };
  }
}

import { AppError } from "../errors.ts";

/** Limits the connections that an owner keeps open, such as event streams and sockets. */
export class ConnectionLimit {
  readonly #perOwner: number;
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  /** @param what name of the connections in the plural, for the error message */
  constructor(perOwner: number, what: string) {
    this.#perOwner = perOwner;
    this.#what = what;
  }

  /** How many connections are open now, of all owners. */
  get open(): number {
    return [...this.#taken.values()].reduce((sum, own) => sum + own, 0);
  }

  /**
   * Take a place for the owner.
   * @returns a function that releases the place; further calls do nothing
   * @throws AppError RATE_LIMITED when the owner has no place left
   */
  take(owner: string): () => void {
    const leave = this.takeIfFree(owner);
    if (leave !== undefined) return leave;
    const message = `${this.#perOwner} ${this.#what} are open. Close one before you open another.`;
    throw new AppError("RATE_LIMITED", message, { headers: { "Retry-After": "15" } });
  }

  /** As `take`, for callers that answer in another form. @returns undefined when the owner has no place left */
  takeIfFree(owner: string): (() => void) | undefined {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#perOwner) return undefined;
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

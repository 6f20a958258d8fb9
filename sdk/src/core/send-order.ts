import type { IMessage } from "./types.ts";

type Place = {
  /** Resolves when the message before was taken or refused; undefined: it is this one's turn at once. */
  before: Promise<void> | undefined;
  /** To be called when the oracle has taken this one, or will not. */
  accepted: () => void;
};

/** Messages go to the oracle one after the other: a new one ends the turn of the one before, which must have begun. */
export class SendOrder {
  /** Those that wait. */
  waiting: readonly IMessage[] = [];
  #last: Promise<void> | undefined;

  enter(message: IMessage): Place {
    const earlier = this.#last;
    let accepted = () => {};
    const taken = new Promise<void>((resolve) => {
      accepted = () => {
        if (this.#last === taken) this.#last = undefined;
        resolve();
      };
    });
    this.#last = taken;
    if (earlier === undefined) return { before: undefined, accepted };
    this.waiting = [...this.waiting, message];
    const before = earlier.then(() => {
      this.waiting = this.waiting.filter((each) => each !== message);
    });
    return { before, accepted };
  }
}

import type { IMessage } from "./types.ts";

type Place = {
  /** Resolves when the oracle has accepted or refused the previous message; undefined when there is none to wait for. */
  before: Promise<void> | undefined;
  /** Call it when the oracle has accepted or refused this message. */
  accepted: () => void;
};

/** Send messages one after the other. A message ends the previous turn, so that turn must have started. */
export class SendOrder {
  /** Messages that wait to be sent. */
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

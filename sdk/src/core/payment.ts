import { errorOf } from "./api-error.ts";
import { Store } from "./store.ts";

type PaymentState = {
  /** Result of the last payment that succeeded. */
  data: unknown;
  error: Error | undefined;
};

/** Make one payment at a time: a call during a payment, such as a second click, gets the result of that payment. */
export class Payment extends Store<PaymentState> {
  #paying: Promise<unknown> | undefined;

  constructor() {
    super({ data: undefined, error: undefined });
  }

  /** @throws Error what `pay` throws */
  readonly make = async (pay: () => Promise<unknown>): Promise<unknown> => {
    this.#paying ??= this.#pay(pay).finally(() => {
      this.#paying = undefined;
    });
    return await this.#paying;
  };

  async #pay(pay: () => Promise<unknown>): Promise<unknown> {
    try {
      const data = await pay();
      this.set({ data, error: undefined });
      return data;
    } catch (thrown) {
      const error = errorOf(thrown);
      this.set({ error });
      throw error;
    }
  }
}

import { ConnectionLimit } from "../../platform/http/index.ts";
import { classifyAddress } from "../../platform/outbound/index.ts";
import { clientNetwork } from "../../platform/values/networks.ts";

export type ConnectionLimits = { perUser: number; perAddress: number };
const usual: ConnectionLimits = { perUser: 64, perAddress: 1_000 };

/**
 * Counts what stays open, for each user and for each network address: anyone can make keys, and thus users. Addresses of this machine
 * are not counted.
 */
export class UserConnectionLimit {
  readonly #users: ConnectionLimit;
  readonly #addresses: ConnectionLimit;

  /** @param what in the plural, for the error message */
  constructor(what: string, { perUser, perAddress } = usual) {
    this.#users = new ConnectionLimit(perUser, `${what} of this user`);
    this.#addresses = new ConnectionLimit(perAddress, `${what} of this address`);
  }

  /** How many connections are open now, of all users. */
  get open(): number {
    return this.#users.open;
  }

  /**
   * Take a place.
   * @returns a function that gives it back, once however often it is called
   * @throws AppError RATE_LIMITED
   */
  take(user: string, address: string): () => void {
    const leaveUser = this.#users.take(user);
    if (classifyAddress(address) === "loopback") return leaveUser;
    try {
      const leaveAddress = this.#addresses.take(clientNetwork(address));
      return () => {
        leaveUser();
        leaveAddress();
      };
    } catch (error) {
      leaveUser();
      throw error;
    }
  }
}

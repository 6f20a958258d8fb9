/** Thrown by what runs an operation: hand it back until the chain has reached a time, or something has changed. */
export class OperationWaits extends Error {
  readonly until: Date;

  constructor(until: Date) {
    super(`The operation waits until ${until.toISOString()}.`);
    this.name = "OperationWaits";
    this.until = until;
  }
}

/** Thrown by what runs an operation: there is nothing to do any more. The message tells the caller why. */
export class OperationCancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "OperationCancelled";
  }
}

/** Thrown by an operation's code to pause it until chain time has reached `until`, or it is resumed. */
export class OperationWaits extends Error {
  readonly until: Date;

  constructor(until: Date) {
    super(`The operation waits until ${until.toISOString()}.`);
    this.name = "OperationWaits";
    this.until = until;
  }
}

/** Thrown by an operation's code when nothing is left to do. The caller sees the message. */
export class OperationCancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "OperationCancelled";
  }
}

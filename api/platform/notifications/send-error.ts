/** A message was not sent. The person who subscribed may see the text. */
export class SendError extends Error {
  /** True when the address takes no messages, so that trying again is useless. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal }: { isFinal: boolean }) {
    super(message);
    this.name = "SendError";
    this.isFinal = isFinal;
  }
}

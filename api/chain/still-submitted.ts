/**
 * Thrown when a transaction has been sent but not mined within TX_WAIT_MS. No failure: it is answered 202 with the operation that
 * follows it, so services let it pass.
 */
export class StillSubmitted extends Error {
  readonly transactionHash: `0x${string}`;
  readonly operationId: string;

  constructor(transactionHash: `0x${string}`, operationId: string) {
    super(`Transaction ${transactionHash} has been submitted and is not mined yet.`);
    this.name = "StillSubmitted";
    this.transactionHash = transactionHash;
    this.operationId = operationId;
  }

  get url(): string {
    return `/v1/operations/${this.operationId}`;
  }
}

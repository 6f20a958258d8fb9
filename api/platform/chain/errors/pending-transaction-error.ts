/**
 * Thrown when a transaction was sent but is not in a block within TX_WAIT_MS. This is not a failure: services do not catch it, and
 * the response is 202 with the operation that follows the transaction.
 */
export class PendingTransactionError extends Error {
  readonly transactionHash: `0x${string}`;
  /** The outbox row. */
  readonly transactionId: number;
  /** Position of the caller's order in the batch. */
  readonly position: number;

  constructor(transaction: { hash: string; id: number }, position = 0) {
    super(`Transaction ${transaction.hash} has been submitted and is in no block yet.`);
    this.name = "PendingTransactionError";
    this.transactionHash = transaction.hash as `0x${string}`;
    this.transactionId = transaction.id;
    this.position = position;
  }
}

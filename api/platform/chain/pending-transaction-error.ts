/**
 * Thrown when a transaction has been sent but is not in a block within TX_WAIT_MS. No failure: it is answered 202 with the operation
 * that follows it, so services let it pass.
 */
export class PendingTransactionError extends Error {
  readonly transactionHash: `0x${string}`;
  /** The outbox row. */
  readonly transactionId: number;
  /** Which order of a batch the caller's is. */
  readonly position: number;

  constructor(transaction: { hash: string; id: number }, position = 0) {
    super(`Transaction ${transaction.hash} has been submitted and is in no block yet.`);
    this.name = "PendingTransactionError";
    this.transactionHash = transaction.hash as `0x${string}`;
    this.transactionId = transaction.id;
    this.position = position;
  }
}

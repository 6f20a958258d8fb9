export { BatchCollector } from "./batch.ts";
export { type Chain, openChain, senderOf } from "./chain.ts";
export { type Abis, abis, allErrors, type ContractName, type DecodedEvent, eventsIn } from "./contracts.ts";
export { dateOf, dayOf, LAST_DAY } from "./days.ts";
export { roomByHalfDays } from "./errors/contract-errors.ts";
export { orderUsedText } from "./errors/itmo-errors.ts";
export { PendingTransactionError } from "./errors/pending-transaction-error.ts";
export { redemptionError } from "./errors/redemption-rules.ts";
export {
  type ContractError,
  decodeContractError,
  errorFromRevert,
  errorOfRevert,
  type RevertReading,
  revertData,
  sweepableOn,
  unconsentedCapTooHigh,
  usedAuthorization,
} from "./errors/reverts.ts";
export { gasCheck } from "./gas-check.ts";
export { addChainGauges } from "./gauges.ts";
export type { Head, HeadWatcher } from "./node/head.ts";
export { newEventReader } from "./node/new-events.ts";
export { createPartReader, type PastEvents } from "./node/past.ts";
export {
  isSignedBy,
  nonceOfTerms,
  orderNonce,
  orderSignatures,
  type TypedDataToSign,
  typedDataToSign,
} from "./order-signatures.ts";
export { lastWrittenBlock } from "./outbox/last-written.ts";
export { once } from "./outbox/once.ts";
export type { MinedCall } from "./outbox/outbox.ts";
export { callUntilMined } from "./outbox/persistent-call.ts";
export { relaySigned } from "./outbox/relay.ts";
export { findByHash, findByIdempotencyKey } from "./outbox/store.ts";
export {
  defineTransactionOperation,
  type ResultReader,
  respondSubmitted,
  watchBaseFee,
} from "./outbox/transaction-operation.ts";
export { noPermit, type Permit, type PermitTerms, permitToSign, splitPermit, unlessRefused } from "./permits.ts";
export type { SenderName } from "./signers/senders.ts";
export {
  type Call,
  encodeCall,
  findSent,
  orUnavailable,
  partKey,
  simulate,
  submitCall,
} from "./submit.ts";
export { type ChainTransaction, chainTransactions } from "./tables.ts";
export { isoTime } from "./times.ts";
export { todayOf } from "./today.ts";
export { type LedgerState, ledgerStates, type Opening } from "./voucher-states.ts";

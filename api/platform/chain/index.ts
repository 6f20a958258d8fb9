export { BatchCollector } from "./batch.ts";
export { type Chain, openChain, senderOf } from "./chain.ts";
export { roomByHalfDays } from "./contract-errors.ts";
export { type Abis, abis, allErrors, type ContractName, type DecodedEvent, eventsIn } from "./contracts.ts";
export { dateOf, dayOf, LAST_DAY } from "./days.ts";
export { gasCheck } from "./gas-check.ts";
export { addChainGauges } from "./gauges.ts";
export type { Head, HeadWatcher } from "./head.ts";
export { orderUsedText } from "./itmo-errors.ts";
export { lastWrittenBlock } from "./last-written.ts";
export { newEventReader } from "./new-events.ts";
export { once } from "./once.ts";
export {
  isSignedBy,
  nonceOfTerms,
  orderNonce,
  orderSignatures,
  type TypedDataToSign,
  typedDataToSign,
} from "./order-signatures.ts";
export type { MinedCall } from "./outbox.ts";
export { findByHash, findByIdempotencyKey } from "./outbox-store.ts";
export { createPartReader, type PastEvents } from "./past.ts";
export { PendingTransactionError } from "./pending-transaction-error.ts";
export { noPermit, type Permit, type PermitTerms, permitToSign, splitPermit, unlessRefused } from "./permits.ts";
export { callUntilMined } from "./persistent-call.ts";
export { redemptionError } from "./redemption-rules.ts";
export { relaySigned } from "./relay.ts";
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
} from "./reverts.ts";
export type { SenderName } from "./senders.ts";
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
export {
  defineTransactionOperation,
  type ResultReader,
  respondSubmitted,
  watchBaseFee,
} from "./transaction-operation.ts";
export { type LedgerState, ledgerStates, type Opening } from "./voucher-states.ts";

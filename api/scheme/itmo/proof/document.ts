import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { DidDocument } from "../../../platform/identity/index.ts";
import { factOf, type ItmoFact } from "./fact.ts";
import { decodeHeader, type HeaderJson, hashOfHeader } from "./header.ts";
import { decodeReceipt } from "./receipt.ts";

export const proofFormat = "hearth-itmo-proof-1";
export const proofCredentialType = "ItmoTransferCredential";

/** Parts of a proof, from which its other members are derived. Addresses and bytes are in lower case. */
export type ProofParts = {
  chainId: number;
  /** The ITMO contract. */
  contract: Hex;
  headerRlp: Hex;
  /** Index of the transaction in the block, from 0. */
  transactionIndex: number;
  /** Index of the log in the receipt, from 0. */
  logIndex: number;
  receiptRlp: Hex;
  /** Trie nodes from the header's receiptsRoot to the receipt. */
  nodes: Hex[];
  /** The ItmoTransferCredential, compact VC-JWT. */
  credential: string;
  /** The issuer's DID document at that time. */
  issuer: DidDocument;
};

/** The file that `GET /v1/itmo/:id/proof` returns. The order and spelling of its members are fixed. */
export type ProofDocument = {
  format: typeof proofFormat;
  chainId: number;
  contract: Hex;
  block: { hash: Hex; headerRlp: Hex; header: HeaderJson };
  receipt: { transactionIndex: number; logIndex: number; rlp: Hex; proof: Hex[] };
  fact: ItmoFact;
  credential: string;
  issuer: DidDocument;
};

/** Build the file from its parts. @throws Error if header, receipt or log cannot be read */
export function documentOf(parts: ProofParts): ProofDocument {
  const { chainId, contract, headerRlp, transactionIndex, logIndex, receiptRlp, nodes, credential, issuer } = parts;
  const header = decodeHeader(headerRlp);
  const { succeeded, logs } = decodeReceipt(receiptRlp);
  const log = logs[logIndex];
  if (!succeeded || log === undefined) throw new Error(`The receipt has no log ${logIndex} of a call that succeeded.`);
  if (log.address !== contract) throw new Error(`The log is of the contract ${log.address}, not of ${contract}.`);
  return {
    format: proofFormat,
    chainId,
    contract,
    block: { hash: hashOfHeader(headerRlp), headerRlp, header },
    receipt: { transactionIndex, logIndex, rlp: receiptRlp, proof: nodes },
    fact: factOf(log, header),
    credential,
    issuer,
  };
}

/** Read the parts of a file without checking them. */
export function partsOf({ chainId, contract, block, receipt, credential, issuer }: ProofDocument): ProofParts {
  return {
    chainId,
    contract,
    headerRlp: block.headerRlp,
    transactionIndex: receipt.transactionIndex,
    logIndex: receipt.logIndex,
    receiptRlp: receipt.rlp,
    nodes: receipt.proof,
    credential,
    issuer,
  };
}

export type AttestedPlace = Omit<ProofParts, "headerRlp" | "receiptRlp" | "nodes" | "credential" | "issuer"> & {
  blockHash: Hex;
  transactionHash: Hex;
};

/** Build the credential's subject: the fact and its position on the chain. */
export function subjectOf(fact: ItmoFact, place: AttestedPlace): Record<string, unknown> {
  const { chainId, contract, blockHash, transactionHash, transactionIndex, logIndex } = place;
  return { ...fact, chainId, contract, blockHash, transactionHash, transactionIndex, logIndex };
}

/** Compute the digest of a DID document as served, in the form of Subresource Integrity. The credential names it. */
export function digestOf(issuer: DidDocument): string {
  return `sha256-${createHash("sha256").update(JSON.stringify(issuer)).digest("base64")}`;
}

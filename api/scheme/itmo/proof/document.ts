import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { DidDocument } from "../../../platform/identity/index.ts";
import { factOf, type ItmoFact } from "./fact.ts";
import { decodeHeader, type HeaderJson, hashOfHeader } from "./header.ts";
import { decodeReceipt } from "./receipt.ts";

export const proofFormat = "hearth-itmo-proof-1";
export const proofCredentialType = "ItmoTransferCredential";

/** What a proof consists of; everything else that it shows follows from these. Addresses and bytes in lower case. */
export type ProofParts = {
  chainId: number;
  /** The ITMO contract. */
  contract: Hex;
  headerRlp: Hex;
  /** Place of the transaction in the block, from 0. */
  transactionIndex: number;
  /** Place of the log among the receipt's logs, from 0. */
  logIndex: number;
  receiptRlp: Hex;
  /** Trie nodes from the header's receiptsRoot to the receipt. */
  nodes: Hex[];
  /** The ItmoTransferCredential, compact VC-JWT. */
  credential: string;
  /** The issuer's DID document as it was. */
  issuer: DidDocument;
};

/** The file that `GET /v1/itmo/:id/proof` answers with. Each member has one place and one spelling. */
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

/** The file that these parts make. @throws Error when header, receipt or log cannot be read */
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

/** The parts of a file, as it says them. */
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

/** The credential's subject: the fact and where the chain says it. */
export function subjectOf(fact: ItmoFact, place: AttestedPlace): Record<string, unknown> {
  const { chainId, contract, blockHash, transactionHash, transactionIndex, logIndex } = place;
  return { ...fact, chainId, contract, blockHash, transactionHash, transactionIndex, logIndex };
}

/** Digest of a DID document as it is served, in the form of Subresource Integrity: the credential names it. */
export function digestOf(issuer: DidDocument): string {
  return `sha256-${createHash("sha256").update(JSON.stringify(issuer)).digest("base64")}`;
}

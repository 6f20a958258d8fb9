import { type Hex, hexToBigInt } from "viem";
import type { ProofDocument } from "../../api/scheme/itmo/proof/document.ts";
import { provenReceipt } from "../../api/scheme/itmo/proof/trie.ts";
import type { Finding } from "../draw/check-draw.ts";
import type { NodeWord } from "./ask-node.ts";
import { checkCredential, type ProvenCredential } from "./check-credential.ts";
import { checkStatus } from "./check-status.ts";
import { assertionKeys, type Ed25519Key, type ReadDidDocument } from "./issuer-keys.ts";
import { readProof } from "./read-proof.ts";
import { tellFact } from "./tell-fact.ts";

/** What the reader knows from elsewhere. */
export type Known = {
  blockHash?: Hex | undefined;
  /** What the reader's own node says of the block. */
  askNode?: ((blockNumber: bigint) => Promise<NodeWord>) | undefined;
  contract?: Hex | undefined;
  didDocument?: ReadDidDocument | undefined;
  issuerKey?: Ed25519Key | undefined;
  /** A status list, compact JWT. */
  statusList?: string | undefined;
};
export type Verdict = {
  findings: Finding[];
  /** Assumptions of the proof that were not checked. */
  trusted: string[];
  /** Roots of trust that the reader did not give: without them, the file was only compared with itself. */
  missingRoots: string[];
  /** Set when the file could be read. */
  document?: ProofDocument;
};

const yes = (sentence: string): Finding => ({ holds: true, sentence });
const no = (sentence: string): Finding => ({ holds: false, sentence });

/** Check a proof file's bytes for consistency, and against what the reader knows. Requests go only to the reader's own node. */
export async function checkProof(bytes: Uint8Array, known: Known = {}): Promise<Verdict> {
  const { document, faults } = readProof(bytes);
  if (document === undefined) return { findings: faults.map(no), trusted: [], missingRoots: missingRootsOf(known) };
  const { proven, faults: spoken } = await checkCredential(document);
  const findings = [
    await checkReceipt(document),
    checkLog(document, known),
    ...spoken.map(no),
    ...(proven === undefined ? [] : checkIssuer(document, proven, known)),
    ...(await checkBlock(document, proven, known)),
    ...(proven === undefined || known.statusList === undefined ? [] : [await tellStatus(proven, known.statusList)]),
  ];
  return { findings, trusted: trustedOf(document, proven, known), missingRoots: missingRootsOf(known), document };
}

/**
 * The block connects the file with a chain. The contract or issuer connects it with the scheme, because anyone can deploy the same
 * contract.
 */
function missingRootsOf({ blockHash, askNode, contract, didDocument, issuerKey }: Known): string[] {
  const missing: string[] = [];
  if (blockHash === undefined && askNode === undefined)
    missing.push("the block, with your node (--rpc) or its hash (--block-hash)");
  if (contract === undefined && didDocument === undefined && issuerKey === undefined)
    missing.push("the scheme's contract (--contract) or its issuer (--did-document, --issuer-key)");
  return missing;
}

async function checkReceipt({ block, receipt }: ProofDocument): Promise<Finding> {
  const { transactionIndex: index, rlp, proof } = receipt;
  const value = await provenReceipt(block.header.receiptsRoot as Hex, index, proof);
  if (value === rlp)
    return yes(
      `Receipt ${index} is under the header's receiptsRoot, by ${proof.length} trie node${proof.length === 1 ? "" : "s"}.`,
    );
  return no(`The trie nodes do not prove that receipt ${index} is under the header's receiptsRoot.`);
}

function checkLog({ contract, receipt, fact }: ProofDocument, known: Known): Finding {
  if (known.contract !== undefined && known.contract !== contract)
    return no(`The log is of the contract ${contract}; the one you know is ${known.contract}.`);
  return yes(`Its log ${receipt.logIndex}, of the contract ${contract}, says: ${tellFact(fact)}`);
}

function checkIssuer({ fact }: ProofDocument, { issuer, key }: ProvenCredential, known: Known): Finding[] {
  const findings = [yes(`${issuer} signed the same facts of ${fact.uniqueId}.`)];
  if (known.issuerKey !== undefined && known.issuerKey !== key)
    findings.push(no("The credential was signed by another key than the one you know."));
  const document = known.didDocument;
  if (document === undefined) return findings;
  const isKnown = document.id === issuer && [...assertionKeys(document).values()].includes(key);
  if (isKnown) return [...findings, yes("The DID document that you know has the key that signed.")];
  return [...findings, no(`The DID document that you know, ${document.id}, does not have the key that signed.`)];
}

async function checkBlock(
  { chainId, block, receipt }: ProofDocument,
  proven: ProvenCredential | undefined,
  known: Known,
) {
  const number = hexToBigInt(block.header.number as Hex);
  const findings = [yes(`The header's fields hash to ${block.hash}, block ${number}.`)];
  if (known.blockHash !== undefined && known.blockHash !== block.hash)
    findings.push(no(`The block that you know has the hash ${known.blockHash}.`));
  if (known.askNode === undefined) return findings;
  const node = await known.askNode(number);
  const isSame = node.chainId === chainId && node.hash === block.hash;
  const depth = node.head - number;
  findings.push(
    isSame
      ? yes(`The node has that block on chain ${chainId}, with ${depth} blocks after it.`)
      : no(`The node has block ${node.hash} of number ${number} on chain ${node.chainId}.`),
  );
  const transaction = node.transactions[receipt.transactionIndex];
  if (isSame && proven !== undefined && transaction !== proven.transactionHash)
    findings.push(
      no(`Transaction ${receipt.transactionIndex} of the block is ${transaction}, not ${proven.transactionHash}.`),
    );
  return findings;
}

async function tellStatus(proven: ProvenCredential, list: string): Promise<Finding> {
  const { since, fault } = await checkStatus(proven, list);
  if (since === undefined) return no(fault ?? "The status list cannot be read.");
  return yes(`The credential is not revoked in the status list of ${since.toISOString()}.`);
}

function trustedOf(
  { chainId, contract, block }: ProofDocument,
  proven: ProvenCredential | undefined,
  known: Known,
): string[] {
  const number = hexToBigInt(block.header.number as Hex);
  const trusted: string[] = [];
  if (known.blockHash === undefined && known.askNode === undefined) {
    trusted.push(
      `that ${block.hash} is block ${number} of chain ${chainId}: compare it with your own node (--block-hash or --rpc)`,
    );
  }
  if (known.contract === undefined) trusted.push(`that ${contract} is the scheme's ITMO contract (--contract)`);
  if (proven === undefined) return trusted;
  if (known.didDocument === undefined && known.issuerKey === undefined)
    trusted.push(`that the DID document is ${proven.issuer}'s own (--did-document or --issuer-key)`);
  if (known.askNode === undefined)
    trusted.push(`the transaction's hash ${proven.transactionHash}, which the credential alone says (--rpc)`);
  if (known.statusList === undefined)
    trusted.push("that the credential has not been revoked, which cannot be known offline (--status-list)");
  return trusted;
}

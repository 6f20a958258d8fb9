import { parseArgs } from "node:util";
import { BaseError, type Hex, isAddress } from "viem";
import { askNode } from "./proof/ask-node.ts";
import { checkProof, type Known, type Verdict } from "./proof/check-proof.ts";
import { didDocument, readMultibaseKey } from "./proof/issuer-keys.ts";
import { countFaults, printable, readGiven, runVerifier, UnavailableError, UsageError } from "./verifier-command.ts";

const usage = `Usage: npm run verify-proof -- file.json [options]
Checks a proof of what happened to ITMOs (the answer of GET /v1/itmo/:id/proof) without asking the service that made it:
the header's hash, the receipt's place under it, the log, the credential's signature, and every field that the file shows.

--block-hash HASH    the block's hash, as a node that you trust has it
--rpc URL            JSON-RPC of a node that you trust, which is asked for it
--contract ADDRESS   the ITMO contract, as you know it from elsewhere
--did-document FILE  the issuer's DID document, as you know it from elsewhere
--issuer-key KEY     the issuer's key (did:key:z6Mk…), also
--status-list FILE   a status list that was kept (GET /v1/status-lists/:list): whether the credential is revoked
--unanchored         accept a file that is only consistent in itself: without it, the block must be compared (--rpc or
                     --block-hash), and the contract or the issuer (--contract, --issuer-key or --did-document)
--json               the verdict as JSON
--help

Exit 0: all that could be checked holds; what it rests on is named. Exit 1: something does not hold, could not be read,
or was not compared with anything that you know. Exit 2: this command is not understood.`;

const options = {
  "block-hash": { type: "string" },
  rpc: { type: "string" },
  contract: { type: "string" },
  "did-document": { type: "string" },
  "issuer-key": { type: "string" },
  "status-list": { type: "string" },
  unanchored: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function knownOf(values: Values): Promise<Known> {
  const { rpc, contract } = values;
  const blockHash = values["block-hash"]?.toLowerCase();
  if (blockHash !== undefined && !/^0x[0-9a-f]{64}$/.test(blockHash))
    throw new UsageError("--block-hash is not a hash.");
  if (contract !== undefined && !isAddress(contract, { strict: false }))
    throw new UsageError("--contract is not an address.");
  const issuerKey = values["issuer-key"] === undefined ? undefined : readMultibaseKey(values["issuer-key"]);
  if (values["issuer-key"] !== undefined && issuerKey === undefined)
    throw new UsageError("--issuer-key is no Ed25519 key: did:key:z6Mk… is expected.");
  const statusList = values["status-list"];
  return {
    blockHash: blockHash as Hex | undefined,
    askNode: rpc === undefined ? undefined : (number) => askOrSay(rpc, number),
    contract: contract?.toLowerCase() as Hex | undefined,
    didDocument: await knownDocument(values["did-document"]),
    issuerKey,
    statusList: statusList === undefined ? undefined : (await readGiven(statusList)).toString("utf8"),
  };
}

async function knownDocument(file: string | undefined) {
  if (file === undefined) return undefined;
  try {
    return didDocument.parse(JSON.parse((await readGiven(file)).toString("utf8")));
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${file} is not a DID document.`);
  }
}

async function askOrSay(rpc: string, number: bigint) {
  try {
    return await askNode(rpc, number);
  } catch (error) {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new UnavailableError(`${rpc} could not be asked for block ${number}: ${why}`);
  }
}

type Printing = { asJson: boolean; acceptsUnanchored: boolean };

/** @returns the exit code */
function printVerdict({ findings, trusted, missingRoots, document }: Verdict, printing: Printing): number {
  const faults = findings.filter(({ holds }) => !holds).length;
  const isAnchored = printing.acceptsUnanchored || missingRoots.length === 0;
  const verified = faults === 0 && isAnchored;
  if (printing.asJson) {
    const fact = verified ? document?.fact : null;
    console.log(JSON.stringify({ verified, findings, trusted, missingRoots, fact }, null, 2));
    return verified ? 0 : 1;
  }
  for (const { holds, sentence } of findings) console.log(`${holds ? "holds " : "BROKEN"}  ${printable(sentence)}`);
  for (const each of trusted) console.log(`trusted ${printable(each)}`);
  const condition = trusted.length === 0 ? "" : ", if what is trusted above is so";
  if (faults > 0) console.log(`\nThe proof does not hold: ${countFaults(faults)}.`);
  else if (verified) console.log(`\nThe proof holds${condition}.`);
  else {
    console.log("\nNot verified: anyone can make a file that is consistent in itself. Compare too:");
    for (const root of missingRoots) console.log(`- ${root}`);
    console.log("Or accept that nothing was compared, with --unanchored.");
  }
  return verified ? 0 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError("One file is expected.");
  const known = await knownOf(values);
  const verdict = await checkProof(await readGiven(file), known);
  return printVerdict(verdict, { asJson: values.json, acceptsUnanchored: values.unanchored });
}

await runVerifier(main, usage);

import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { BaseError, isAddress } from "viem";
import type { ZodType } from "zod";
import { type DrawDocument, drawDocument } from "../api/scheme/campaigns/draw/document-schema.ts";
import { type ChainFacts, chainFacts, readChainFacts } from "./draw/chain-facts.ts";
import { checkDrawAndBeacon } from "./draw/check-beacon.ts";
import {
  type KnownAccounts,
  knownAccountOptions,
  knownAccountUsage,
  knowsParties,
  readKnownAccounts,
  unknownAccounts,
} from "./draw/known-accounts.ts";
import { deploymentOption, deploymentUsage, knownBy, readKnownDeployment } from "./draw/known-deployment.ts";
import { defaultRpcUrl } from "./rpc-url.ts";
import {
  countFaults,
  pathOf,
  printable,
  readGiven,
  runVerifier,
  UnavailableError,
  UsageError,
} from "./verifier-command.ts";

const usage = `Usage: npm run verify-draw -- <campaignId> [options]
       npm run verify-draw -- --file draw.json --facts facts.json     (offline)
Draws a campaign's samples again from its published frames and the chain, and says what holds, what does not, and who
could have chosen the draw.

--url URL          the service that publishes the document (PUBLIC_URL, else http://127.0.0.1:PORT)
--file FILE        a document that was kept: the answer of GET /v1/campaigns/:id/draw
--rpc URL          JSON-RPC of a node that you trust (RPC_URL, else http://127.0.0.1:CHAIN_PORT)
--facts FILE       chain facts that were kept, in place of a node
--save-draw FILE   keeps the document
--save-facts FILE  keeps the chain facts
--contract ADDRESS      the Campaigns contract, as you know it from elsewhere
${knownAccountUsage}
${deploymentUsage}
--unanchored            accept what the document itself says about the contract and about the service's accounts: without it,
                        the contract (--contract) and the parties (--service-accounts or --second-party), or both by the
                        deployment file, must be compared
--help

Exit 0: the sample is the one that was drawn, and no party alone could have chosen it. Exit 1: one party alone could have
chosen it, it is another sample, it could not be verified, or it was not compared with what you know; each fault is named.
Exit 2: this command is not understood.`;

const options = {
  url: { type: "string" },
  file: { type: "string" },
  rpc: { type: "string" },
  contract: { type: "string" },
  facts: { type: "string" },
  "save-draw": { type: "string" },
  "save-facts": { type: "string" },
  ...knownAccountOptions,
  ...deploymentOption,
  unanchored: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function fromService(url: string, campaignId: string): Promise<string> {
  const address = `${url.replace(/\/$/, "")}/v1/campaigns/${encodeURIComponent(campaignId)}/draw`;
  const answer = await fetch(address).catch((cause: Error) => {
    throw new UnavailableError(`${address} does not answer: ${cause.message}.`);
  });
  const text = await answer.text();
  if (!answer.ok) throw new UnavailableError(`${address} answers ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}

function parseAs<T>(schema: ZodType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnavailableError(`${what} is not JSON.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnavailableError(`${what} is not what it should be: ${issue?.path.join(".")}: ${issue?.message}`);
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function documentOf({ file, url }: Values, campaignId: string | undefined): Promise<[DrawDocument, string]> {
  const service = url ?? process.env.PUBLIC_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;
  if (file === undefined && campaignId === undefined) throw new UsageError("A campaignId or --file is needed.");
  const text = file === undefined ? await fromService(service, campaignId ?? "") : (await readGiven(file)).toString();
  return [parseAs(drawDocument, text, "The document of the draw"), text];
}

async function factsOf({ facts, rpc, contract }: Values, document: DrawDocument): Promise<ChainFacts> {
  if (facts !== undefined) return parseAs(chainFacts, (await readGiven(facts)).toString(), `The file ${facts}`);
  const rpcUrl = rpc ?? defaultRpcUrl();
  const address = contract ?? document.contract;
  if (!isAddress(address, { strict: false })) throw new UsageError(`${address} is not an address.`);
  const { campaign, commit } = document;
  try {
    return await readChainFacts({ rpcUrl, contract: address, campaign, fromBlock: commit.blockNumber });
  } catch (error) {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new UnavailableError(`The chain's facts could not be read from ${rpcUrl}: ${why}`);
  }
}

/** Assumptions of the verdict that were not checked. */
function trusted({ facts, contract }: Values, { readAt }: ChainFacts): string[] {
  const source =
    facts === undefined
      ? `that the node tells the chain as it is (read at block ${readAt.blockNumber}, ${readAt.blockHash})`
      : `that ${facts} says what the chain said at block ${readAt.blockNumber} (${readAt.blockHash}); no node was asked`;
  return [
    source,
    ...(contract === undefined
      ? ["that the document names the scheme's own Campaigns contract (--contract checks it)"]
      : []),
    "that the second party's key is not in the operator's hands: an account does not show who holds its key",
    "that each leaf stands for one household, and the frames hold all that should be in them: only the scheme knows the key",
  ];
}

/** What was compared with nothing that the reader knows. */
function missingRoots({ contract }: Values, known: KnownAccounts): string[] {
  return [
    ...(contract === undefined ? ["the Campaigns contract (--contract): the document may name another one"] : []),
    ...(knowsParties(known) ? [] : [unknownAccounts]),
  ];
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (positionals.length > 1) throw new UsageError("One campaign is verified at a time.");
  if (values.facts !== undefined && values.rpc !== undefined) throw new UsageError("Either --facts or --rpc.");
  const given = readKnownAccounts(values);
  const [campaignId] = positionals;
  const [document, text] = await documentOf(values, campaignId);
  const deployment = await readKnownDeployment(values.deployment, document);
  const known = knownBy(deployment, given);
  const contract = values.contract ?? deployment?.contracts.campaigns;
  const facts = await factsOf({ ...values, contract }, document);
  if (values["save-draw"] !== undefined) await writeFile(pathOf(values["save-draw"]), text);
  if (values["save-facts"] !== undefined) {
    await writeFile(pathOf(values["save-facts"]), `${JSON.stringify(facts, null, 2)}\n`);
  }
  const findings = await checkDrawAndBeacon(document, facts, known);
  if (contract !== undefined && contract.toLowerCase() !== facts.contract.toLowerCase()) {
    findings.unshift({ holds: false, sentence: `The contract that you know is ${contract}, not ${facts.contract}.` });
  }
  if (campaignId !== undefined && campaignId !== facts.committed.campaignId) {
    findings.unshift({
      holds: false,
      sentence: `Campaign ${campaignId} was asked for, not ${facts.committed.campaignId}.`,
    });
  }
  for (const { holds, sentence } of findings) console.log(`${holds ? "holds " : "BROKEN"}  ${printable(sentence)}`);
  for (const each of trusted({ ...values, contract }, facts)) console.log(`trusted ${printable(each)}`);
  const faults = findings.filter(({ holds }) => !holds).length;
  const roots = values.unanchored ? [] : missingRoots({ ...values, contract }, known);
  for (const line of conclusion(faults, roots)) console.log(line);
  return faults === 0 && roots.length === 0 ? 0 : 1;
}

function conclusion(faults: number, roots: readonly string[]): string[] {
  if (faults > 0) return [`\nThe draw is not verified: ${countFaults(faults)}.`];
  if (roots.length === 0) {
    return [
      "\nThe sample is the one that the later block and the secrets of both parties drew from the committed frames.",
    ];
  }
  return [
    "\nNot verified: anyone can make a document that is consistent in itself. Compare too:",
    ...roots.map((root) => `- ${root}`),
    "Or accept what the document says, with --unanchored.",
  ];
}

await runVerifier(main, usage);

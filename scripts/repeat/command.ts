import { parseArgs } from "node:util";
import { type Hex, isAddress } from "viem";
import { knownAccountOptions, knownAccountUsage, readKnownAccounts } from "../draw/known-accounts.ts";
import { deploymentOption, deploymentUsage } from "../draw/known-deployment.ts";
import { didDocument, type ReadDidDocument, readMultibaseKey } from "../proof/issuer-keys.ts";
import {
  countFaults,
  exitCodeOf,
  type Output,
  pathOf,
  printable,
  readGiven,
  UnavailableError,
  UsageError,
} from "../verifier-command.ts";
import type { KnownNode } from "./check-chain.ts";
import type { Known } from "./repeat-room.ts";
import type { Step } from "./step.ts";

const usage = `Usage: npm run repeat -- data-room.zip [options]
Repeats a campaign's result from its data room (GET /v1/campaigns/:id/data-room) without the service that made it: the
manifest and its signature, the draw, every claim, the completeness of the sample, and every figure of the result.

--did-document FILE  the service's DID document, as you know it from elsewhere: /.well-known/did.json of the service itself
--issuer-key KEY     the service's key (did:key:z6Mk…), instead
--rpc URL            JSON-RPC of a node that you trust: compares draw, terms, claims and the result's hash with the chain
--contract ADDRESS   the Campaigns contract, as you know it from elsewhere; needed with --rpc
--parameters ADDRESS the Parameters contract, as you know it from elsewhere: compares the regulator's parameters with the chain
${knownAccountUsage}
${deploymentUsage}
--unanchored         accept a file that is only consistent in itself: without it, the issuer must be compared
                     (--did-document or --issuer-key; the chain does not have all that the manifest lists), the parties of
                     a draw by two (--service-accounts or --second-party), and with --rpc the parameters (--parameters);
                     the deployment file gives the last two
--earlier-flags      accept a result of an earlier version in which only rules that were added later find something to flag
--json               the steps and differences as JSON
--help

Exit 0: every step gives what the data room states. Exit 1: a step gives something else, the file could not be read, or
it was not compared with anything that you know. Exit 2: this command is not understood.`;

const options = {
  "did-document": { type: "string" },
  "issuer-key": { type: "string" },
  rpc: { type: "string" },
  contract: { type: "string" },
  parameters: { type: "string" },
  ...knownAccountOptions,
  ...deploymentOption,
  unanchored: { type: "boolean", default: false },
  "earlier-flags": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** Most differences of a step that are printed. */
const most = 50;

async function knownOf(values: Values): Promise<Known> {
  const key = values["issuer-key"];
  const issuerKey = key === undefined ? undefined : readMultibaseKey(key);
  if (key !== undefined && issuerKey === undefined) {
    throw new UsageError("--issuer-key is no Ed25519 key: did:key:z6Mk… is expected.");
  }
  const file = values["did-document"];
  const known = file === undefined ? undefined : await readDocument(file);
  return {
    issuerKey,
    didDocument: known,
    node: nodeOf(values),
    deployment: values.deployment,
    ...readKnownAccounts(values),
  };
}

async function readDocument(file: string): Promise<ReadDidDocument> {
  const text = (await readGiven(file)).toString("utf8");
  try {
    return didDocument.parse(JSON.parse(text));
  } catch {
    throw new UnavailableError(`${file} is not a DID document.`);
  }
}

function nodeOf({ rpc, contract, parameters }: Values): KnownNode | undefined {
  if ((rpc === undefined) !== (contract === undefined)) throw new UsageError("--rpc and --contract go together.");
  if (rpc === undefined && parameters !== undefined) throw new UsageError("--parameters needs --rpc.");
  if (rpc === undefined) return undefined;
  return {
    rpc,
    contract: addressOf("--contract", contract),
    parameters: parameters === undefined ? undefined : addressOf("--parameters", parameters),
  };
}

function addressOf(option: string, given: string | undefined): Hex {
  if (given === undefined || !isAddress(given, { strict: false })) throw new UsageError(`${option} is not an address.`);
  return given;
}

function print(output: Output, { title, faults, differences, notes = [] }: Step): void {
  const count = faults.length + differences.length;
  output.log(`${count === 0 ? "same  " : "DIFFERS"}  ${printable(title)}`);
  for (const line of [...faults.slice(0, most), ...notes.slice(0, most)]) output.log(`         ${printable(line)}`);
  if (differences.length > 0) {
    const shown = differences.slice(0, most).map(({ what, stated, repeated }) => {
      return { what: printable(what), stated: printable(stated), repeated: printable(repeated) };
    });
    const width = Math.max(...shown.map(({ what }) => what.length));
    const stated = Math.max(6, ...shown.map((each) => each.stated.length));
    output.log(`         ${"".padEnd(width)}  ${"stated".padEnd(stated)}  repeated`);
    for (const each of shown)
      output.log(`         ${each.what.padEnd(width)}  ${each.stated.padEnd(stated)}  ${each.repeated}`);
  }
  if (count > 2 * most) output.log(`         … ${count} in all`);
}

async function main(args: string[], output: Output): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError("One ZIP is expected.");
  const known = await knownOf(values);
  // Loaded after the arguments are checked: the calculation takes a second to load.
  const { repeatRoom } = await import("./repeat-room.ts");
  const { room, steps, faults, missingRoots } = await repeatRoom(pathOf(file), file, known, {
    earlierFlags: values["earlier-flags"],
  });
  const isAnchored = missingRoots.length === 0;
  const repeated = faults === 0 && (isAnchored || values.unanchored);
  if (values.json) {
    output.log(JSON.stringify({ repeated, dataRoomHash: room.hash, isAnchored, missingRoots, steps }, null, 2));
    return repeated ? 0 : 1;
  }
  for (const each of steps) print(output, each);
  output.log(`\nData room ${room.hash}`);
  if (faults > 0) output.log(`The result is not repeated: ${countFaults(faults)}.`);
  else if (repeated)
    output.log(`The result of ${printable(room.manifest.campaignId)} is repeated: every step gives what is stated.`);
  else {
    output.log("Not verified: anyone can make a file that is consistent in itself. Compare too:");
    for (const root of missingRoots) output.log(`- ${root}`);
    output.log("Or accept what the file says, with --unanchored.");
  }
  return repeated ? 0 : 1;
}

/** Run `npm run repeat` with these arguments. @returns its exit code */
export const repeatCommand = (args: string[], output: Output): Promise<number> =>
  exitCodeOf(() => main(args, output), usage, output);

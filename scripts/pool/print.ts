import { getTypesForEIP712Domain } from "viem";
import type { CouncilState } from "../../api/scheme/governance/council-state.ts";
import {
  bound,
  boundInTonnes,
  carbon,
  days,
  decimal,
  duration,
  price,
  share,
} from "../../api/scheme/governance/describe/figures.ts";
import type { ProposalResponse, ToSign } from "../../api/scheme/governance/schemas.ts";
import type { Reviewed } from "./review.ts";
import type { Values } from "./usage.ts";

/** Typed data as eth_signTypedData_v4 takes it: with the domain's own type, whole numbers as decimal text. */
export function jsonOf(typedData: { domain: object; types: object; primaryType: string; message: object }): string {
  const EIP712Domain = getTypesForEIP712Domain({ domain: typedData.domain });
  const whole = { ...typedData, types: { EIP712Domain, ...typedData.types } };
  return JSON.stringify(whole, (_, value) => (typeof value === "bigint" ? `${value}` : value), 1);
}

/** What is about to be signed, and where the words come from. */
export function printToSign(reviewed: Reviewed, asked: ToSign, node: string | undefined): void {
  printWords(asked.id, reviewed, node);
  for (const note of [asked.again, asked.queue.note, ...asked.warnings]) if (note) console.log(`! ${note}`);
}

export function printWords(id: string, { statement }: Reviewed, node: string | undefined): void {
  console.log(`Proposal ${id}\n${statement.summary}`);
  for (const change of statement.changes) console.log(`  ${change}`);
  console.log(`  ${statement.notBefore}`);
  const source =
    node === undefined
      ? "present values as the service tells them; --rpc reads them yourself"
      : `present values from ${node}`;
  console.log(`Words made here from the bytes (${source}).`);
}

export function printProposal(proposal: ProposalResponse, values: Values): void {
  if (values.json) {
    console.log(JSON.stringify(proposal, null, 2));
    return;
  }
  const { id, status, words, approvals, approvalsNeeded, approvalsMissing, readyAt, queue } = proposal;
  console.log(`\n${id}  ${status}`);
  for (const change of words.changes) console.log(`  ${change}`);
  for (const alarm of proposal.alarms) console.log(`  WARNING: ${alarm}`);
  if (status === "collecting") {
    console.log(
      `  ${approvalsNeeded - approvalsMissing} of ${approvalsNeeded} approvals; taken until ${proposal.expiresAt}`,
    );
  }
  for (const { signer, counts, whyNot, signedAt } of approvals) {
    console.log(`  approved by ${signer} at ${signedAt}${counts ? "" : `, which does not count: ${whyNot}`}`);
  }
  if (queue?.note) console.log(`  ! ${queue.note}`);
  if (status === "scheduled") console.log(`  may be executed from ${readyAt} on`);
  if (status === "ready") console.log(`  may be executed now: npm run pool -- execute ${id}`);
  if (proposal.problem !== null) console.log(`  ! The chain does not take it: ${proposal.problem}`);
}

export function printState(state: CouncilState, now?: string): void {
  const { caps, stablecoinSymbol: symbol } = state;
  const lines: [string, string][] = [
    ["pool", state.paused ? "PAUSED" : "open"],
    ["price", `${price(state.price)} ${symbol} per CARBON, fee ${share(state.fee)}`],
    ["reserves", `${decimal(state.stablecoinReserve, 6)} ${symbol}, ${carbon(state.carbonReserve)}`],
    ["caps", `a swap ${bound(caps.perTransaction)}, an hour ${bound(caps.perWindow)}, a day ${bound(caps.perDay)}`],
    ["", `ever ${bound(caps.lifetime)}, a supplier's day ${bound(caps.perSupplierDay)}`],
    [
      "operator",
      `pays out up to ${bound(state.operatorCap)} a day; a dispute's stake is ${carbon(state.disputeStake)}`,
    ],
    [
      "",
      `redeems on PINs up to ${bound(state.pinCap)} a day, cancels and reissues up to ${bound(state.lifecycleCap)} a day`,
    ],
    ["ITMOs", `the registrar moves up to ${boundInTonnes(state.itmoDailyCap)} a day`],
    ["", `the buffer holds ${share(state.bufferShare)} of later conversions for ${days(state.bufferHoldDays)}`],
    [
      "council",
      `${state.threshold} of ${state.owners.length} approve, then ${duration(state.delay)} pass; next number ${state.nonce}`,
    ],
    ...state.owners.map((owner): [string, string] => ["", owner]),
  ];
  for (const [title, text] of lines) console.log(`${title.padEnd(9)} ${text}`);
  if (now !== undefined) console.log(`as of     ${now}`);
}

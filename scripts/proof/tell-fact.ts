import type { ItmoFact } from "../../api/scheme/itmo/proof/fact.ts";

/** The fact in a sentence. */
export function tellFact({ event, at, uniqueId, action, subtype, units, movement }: ItmoFact): string {
  const what = event === "BlockMinted" ? "Minting" : [action, ...(subtype === null ? [] : [`(${subtype})`])].join(" ");
  const parts = [`${what} of ${units.quantity} t, ${uniqueId}`];
  if (movement !== null) {
    const { transferringPartyId, acquiringPartyId, usingPartyId, usingEntityId, purpose, ndcYear, note } = movement;
    if (transferringPartyId !== null) parts.push(`from ${transferringPartyId}`);
    if (acquiringPartyId !== null) parts.push(`to ${acquiringPartyId}`);
    if (usingPartyId !== null) parts.push(`by ${usingPartyId}`);
    if (usingEntityId !== null) parts.push(`entity ${JSON.stringify(usingEntityId)}`);
    if (purpose !== null) parts.push(`for ${purpose}`);
    if (ndcYear !== null) parts.push(`towards the NDC, year ${ndcYear}`);
    if (note !== null) parts.push(`note ${JSON.stringify(note)}`);
  }
  return `${parts.join(", ")}; authorization ${units.authorizationId}, at ${at}.`;
}

import { codeText } from "../../../../wire/src/code-text.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import type events from "../../i18n/en/events.json";
import type relation from "../../i18n/en/relation.json";

type Relation = keyof typeof relation;

/** Words of the contract's actions on ITMOs, from 0. */
export const itmoActions = [
  "First transfer",
  "Transfer",
  "Use",
  "Cancellation",
  "Voluntary Cancellation",
] as const satisfies readonly Schemas["ItmoAction"]["action"][];

/** Words of their subtypes, from 0; "" stands for none. */
export const itmoSubtypes = [
  "",
  "First transfer to another Party",
  "Authorization",
  "Issuance",
  "Use or cancellation",
  "Voluntary transfer to the Adaptation Fund",
  "Voluntary cancellation to deliver OMGE",
  "Other cancellations",
] as const satisfies readonly (NonNullable<Schemas["ItmoAction"]["subtype"]> | "")[];

/** A sentence about whole tonnes: its key in the texts of events, and the names and the relation in it. */
export type ItmoSentence = {
  key: keyof typeof events.itmo;
  tonnes: bigint;
  names?: Record<string, string>;
  how?: Relation;
};

type Value = string | number;
type Serials = { firstId: Value; lastId: Value };
type Movement = Record<"transferringParty" | "acquiringParty" | "usingParty", `0x${string}`> & {
  usingEntity: string;
  ndcYear: Value;
};
type Action = { action: Value; subtype: Value; units: Serials; movement: Movement };

/** What an event says of ITMOs in a sentence; undefined for an event that names no quantity of them. */
export function itmoSentence(event: string, data: unknown): ItmoSentence | undefined {
  switch (event) {
    case "AuthorizationRegistered":
      return { key: event, tonnes: BigInt((data as { registration: { quantity: Value } }).registration.quantity) };
    case "AuthorizedQuantityChanged":
    case "ConversionRequested":
      return { key: event, tonnes: BigInt((data as { quantity: Value }).quantity) };
    case "BlockMinted":
      return { key: event, tonnes: tonnesOf((data as { units: Serials }).units) };
    case "BufferedUnitsCancelled":
    case "BufferedUnitsReleased":
    case "UnitsBuffered":
      return { key: event, tonnes: tonnesOf(data as Serials) };
    case "ItmoAction": {
      const { units, ...rest } = data as Action;
      const sentence = sentenceOfAction(rest);
      return sentence && { ...sentence, tonnes: tonnesOf(units) };
    }
    default:
      return undefined;
  }
}

function sentenceOfAction(act: Omit<Action, "units">): Omit<ItmoSentence, "tonnes"> | undefined {
  const { action, subtype, movement } = act;
  const how = itmoSubtypes[Number(subtype)];
  const [from, to] = [codeText(movement.transferringParty), codeText(movement.acquiringParty)];
  const by = movement.usingEntity || codeText(movement.usingParty);
  const year = String(movement.ndcYear);
  switch (itmoActions[Number(action)]) {
    case "First transfer":
      return to === "" ? explained("firstTransfer", how) : { key: "firstTransferTo", names: { from, to } };
    case "Transfer":
      return to === "" ? explained("transfer", how) : { key: "transferTo", names: { from, to } };
    case "Use":
      return year === "0" ? { key: "use", names: { by } } : { key: "useForNdc", names: { by, year } };
    case "Voluntary Cancellation":
      return { key: "voluntaryCancellation" };
    case "Cancellation":
      return how === "Voluntary cancellation to deliver OMGE" ? { key: "omge" } : { key: "cancellation" };
    default:
      // An action of newer contracts.
      return undefined;
  }
}

const explained = (key: "firstTransfer" | "transfer", how: Relation | "" | undefined) =>
  how === "" || how === undefined ? { key } : { key, how };

/** Whole tonnes: each serial is one, and both ends are included. */
const tonnesOf = ({ firstId, lastId }: Serials): bigint => BigInt(lastId) - BigInt(firstId) + 1n;

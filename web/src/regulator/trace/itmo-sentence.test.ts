import { describe, expect, it } from "vitest";
import events from "../../i18n/en/events.json";
import { itmoSentence } from "./itmo-sentence.ts";

const [none, zambia, switzerland] = ["0x000000", "0x5a4d42", "0x434845"];
const nobody = { transferringParty: none, acquiringParty: none, usingParty: none, usingEntity: "", ndcYear: 0 };
/** An action on the units 101 to 180. */
const action = (number: number, subtype: number, movement: object = {}) =>
  itmoSentence("ItmoAction", {
    blockId: "1",
    action: number,
    subtype,
    units: { firstId: "101", lastId: "180" },
    movement: { ...nobody, ...movement },
  });

/** A sentence in English, with its values in it. */
function english(sentence: ReturnType<typeof itmoSentence>): string {
  if (sentence === undefined) throw new Error("There is no sentence.");
  const { key, tonnes, names, how } = sentence;
  const values: Record<string, string> = { ...names, amount: `${tonnes} t`, ...(how !== undefined && { how }) };
  return events.itmo[key].replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`"${key}" has no ${name}.`);
    return values[name];
  });
}

describe("an event of ITMOs", () => {
  it("is a sentence with the quantity", () => {
    const said = [
      itmoSentence("AuthorizationRegistered", { registration: { quantity: "5000000000000000001" } }),
      itmoSentence("AuthorizedQuantityChanged", { quantity: "90" }),
      itmoSentence("ConversionRequested", { amount: "80000000000", quantity: 80 }),
      itmoSentence("BlockMinted", { units: { firstId: "1", lastId: "1" } }),
      itmoSentence("UnitsBuffered", { firstId: "3", lastId: "4" }),
      itmoSentence("BufferedUnitsCancelled", { firstId: "3", lastId: "3" }),
      itmoSentence("BufferedUnitsReleased", { firstId: "4", lastId: "4" }),
      action(0, 1, { transferringParty: zambia, acquiringParty: switzerland }),
      action(0, 4, { transferringParty: zambia }),
      action(1, 0, { transferringParty: zambia, acquiringParty: switzerland }),
      action(1, 5, { transferringParty: zambia }),
      action(2, 0, { usingParty: switzerland, ndcYear: 2030 }),
      action(2, 0, { usingParty: zambia, usingEntity: "Airline", purpose: 3 }),
      action(3, 7, { usingParty: zambia }),
      action(3, 6, { usingParty: zambia }),
      action(4, 0, { usingParty: zambia }),
    ];
    expect(said.map(english)).toEqual([
      "5000000000000000001 t authorized",
      "Authorized quantity changed to 90 t",
      "Conversion of 80 t requested",
      "1 t minted as ITMOs",
      "2 t put into the invalidation buffer",
      "1 t of the invalidation buffer cancelled",
      "1 t released from the invalidation buffer",
      "80 t first transferred from ZMB to CHE",
      "80 t first transferred (Use or cancellation)",
      "80 t transferred from ZMB to CHE",
      "80 t transferred (Voluntary transfer to the Adaptation Fund)",
      "80 t used by CHE for its NDC of 2030",
      "80 t used by Airline",
      "80 t cancelled",
      "80 t cancelled to deliver OMGE",
      "80 t cancelled voluntarily",
    ]);
    expect(new Set(said.map((each) => each?.key))).toEqual(new Set(Object.keys(events.itmo)));
  });

  it("keeps its name where it says no quantity, or is newer than this page", () => {
    expect(itmoSentence("BlockSplit", { blockId: "1", rest: "2" })).toBeUndefined();
    expect(action(9, 0)).toBeUndefined();
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import events from "../../i18n/en/events.json";
import traced from "../../i18n/en/traced.json";
import { argumentsOf } from "./event-fields.ts";

type Input = { name: string; components?: Input[] };
type Event = { type: string; name: string; inputs: Input[] };
const abis = join(import.meta.dirname, "../../../../deployments/abi");

/** The names of all arguments of the events that a trace names, also of those in structs. */
function argumentNames(): string[] {
  const lines = readdirSync(abis).flatMap((file) => readFileSync(join(abis, file), "utf8").split("\n"));
  const entries = lines
    .filter((line) => line.includes('"type":"event"'))
    .map((line) => JSON.parse(line.trim().replace(/,$/, "")) as Event);
  const named = (inputs: Input[]): string[] =>
    inputs.flatMap(({ name, components = [] }) => [name, ...named(components)]);
  return [...new Set(entries.filter(({ name }) => name in events).flatMap(({ inputs }) => named(inputs)))];
}

describe("an event of a trace", () => {
  it("has a name for each of its arguments, and no name for another one", () => {
    const names = argumentNames();
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !(name in traced.argument) && !(name in traced.field))).toEqual([]);
    expect(Object.keys(traced.argument).filter((name) => !names.includes(name) || name in traced.field)).toEqual([]);
  });

  it("is laid out in lines: ids, amounts, days, times, words and codes by what they are", () => {
    const lines = argumentsOf("VoucherRedeemed", {
      voucher: "17",
      amount: "12500000",
      expiryDay: 20_000,
      deadline: "1800000000",
      consent: 2,
      reason: "late",
      halted: false,
      note: "",
      registryId: "0x5a4d423031",
      fallbackReason: "0x01020304",
      lots: [{ certificate: 3, amount: "5" }],
      entities: ["a", "b"],
    });
    expect(lines.map(({ key, name, text, kind, word }) => [key, name, text, word ?? kind])).toEqual([
      ["voucher", "voucher", "VCHR-000000000000HH", "id"],
      ["amount", "amount", "12500000", "carbon"],
      ["expiryDay", "expiryDay", "20000", "day"],
      ["deadline", "deadline", "1800000000", "moment"],
      ["consent", "consent", "code", "consent"],
      ["reason", "reason", "late", "plain"],
      ["halted", "halted", "false", "yesNo"],
      ["registryId", "registryId", "ZMB01", "plain"],
      ["fallbackReason", "fallbackReason", "0x01020304", "code"],
      ["lots.0.certificate", "certificate", "3", "plain"],
      ["lots.0.amount", "amount", "5", "carbon"],
      ["entities.0.entities", "entities", "a", "plain"],
      ["entities.1.entities", "entities", "b", "plain"],
    ]);
    expect(argumentsOf("PositionMissing", { reason: 2, group: 1 }).map(({ text }) => text)).toEqual([
      "absent",
      "intervention",
    ]);
    expect(argumentsOf("BlockSplit", { rest: "1" })[0]?.text).toMatch(/^ITMO-/);
  });

  it("has words for an action on ITMOs, and no line for what does not apply", () => {
    const movement = { acquiringParty: "0x000000", usingParty: "0x434845", usingEntity: "", purpose: 2, ndcYear: 0 };
    const lines = argumentsOf("ItmoAction", { blockId: "1", action: 3, subtype: 0, movement });
    expect(lines.slice(1).map(({ name, text, word }) => [name, text, word])).toEqual([
      ["action", "Cancellation", "relation"],
      ["usingParty", "CHE", undefined],
      ["purpose", "OIMP", "name"],
    ]);
  });
});

import fc from "fast-check";
import { tonne } from "../../../indexer/lib/lots.ts";
import type {
  Action,
  Approach,
  Authorization,
  Holding,
  Movement,
  Underlying,
} from "../../../indexer/reports/aef/facts.ts";
import type { AefSource } from "../../../indexer/reports/aef/report.ts";
import type { ItmoActionSubtype, ItmoPurpose } from "../../../indexer/schema/itmo-words.ts";

/** One thing that somebody tries; what the contract would refuse changes nothing. */
export type Step =
  | { do: "mint"; authorization: number; tonnes: number; certificate: number; mixed: boolean }
  | { do: "transfer" | "cancel" | "omge"; conversion: number; from: number; tonnes: number; party: number }
  | { do: "use"; conversion: number; from: number; tonnes: number; forNdc: boolean };

type Unit = { party: string | null; status: string; marked: boolean };
type Conversion = { index: number; authorization: number; first: bigint; units: Unit[]; starts: Set<number> };

const parties = ["ZMB", "CHE", "SWE"] as const;
/** 1 January 2026. */
export const yearBegin = 1_767_225_600n;
const nothing: Movement = {
  transferringParty: null,
  acquiringParty: null,
  usingParty: null,
  usingEntity: null,
  purpose: null,
  ndcYear: null,
  note: "",
};

export const approaches: Approach[] = [
  {
    index: 1,
    approachId: "CA0001",
    firstTransferringParty: "ZMB",
    participatingParties: ["ZMB", "CHE", "SWE"],
    sectors: ["Energy generation"],
    activityType: "Energy Efficiency households",
    ndcFirstYear: 2021,
    ndcLastYear: 2030,
  },
];

const authorizationOf = (index: number, purpose: ItmoPurpose, firstTransfer: Authorization["firstTransfer"]) => ({
  index,
  authorizationId: `AUTH-${index}`,
  approach: 1,
  date: 20_454,
  purpose,
  firstTransfer,
  firstYear: 2021,
  lastYear: 2030,
  entities: [{ name: "=Stove Fund", country: "CHE", entityId: `ENT-${index}` }],
  terms: '{"conditions":"+none","gwpValues":"AR5"}',
  versions: [{ version: 1, quantity: 1_000_000n, reason: "", at: yearBegin }],
  changes: [],
});

export const authorizations: Authorization[] = [
  authorizationOf(1, "NDC", null),
  authorizationOf(2, "NDC and OIMP", "Authorisation"),
  authorizationOf(3, "OIMP", "Issuance"),
  authorizationOf(4, "NDC and IMP", "Use or Cancellation"),
];

/** Each certificate has a unit for each tonne: the number of the certificate, and of its unit from 0. */
type Behind = { certificate: number; unit: number };

/** What is behind some tonnes: the units of each certificate, which follow each other. */
function underlyingOf(tonnes: readonly Behind[]): Underlying[] {
  const serialOf = ({ certificate, unit }: Behind) => BigInt(certificate * 100_000 + 1 + unit);
  return [...Map.groupBy(tonnes, ({ certificate }) => certificate)].map(([certificate, units]) => ({
    certificateId: `CERT-${certificate}`,
    registry: "Gold Standard",
    firstSerial: serialOf(units[0] as Behind),
    lastSerial: serialOf(units.at(-1) as Behind),
    amount: BigInt(units.length) * 1_000_000_000n,
  }));
}

/** The contract's rules on single tonnes, so that nothing here knows of blocks that are cut. */
export class History {
  readonly actions: Action[] = [];
  readonly #conversions: Conversion[] = [];
  #sequence = 0n;
  #nextSerial = 1n;

  take(step: Step): void {
    if (step.do === "mint") {
      this.#mint(step);
      return;
    }
    const conversion = this.#conversions[step.conversion % Math.max(1, this.#conversions.length)];
    if (conversion === undefined) return;
    const from = step.from % conversion.units.length;
    const units = conversion.units.slice(from, from + step.tonnes);
    const [first] = units;
    const starts = [...conversion.starts].filter((start) => start > from && start < from + units.length);
    // A part lies within one block, and blocks are only cut.
    if (first === undefined || first.status !== "held" || starts.length > 0) return;
    const last = from + units.length - 1;
    if (step.do === "transfer") this.#transfer(conversion, from, last, parties[step.party % 3] ?? "ZMB");
    if (step.do === "cancel") this.#end(conversion, from, last, "cancelled", {});
    if (step.do === "omge") this.#end(conversion, from, last, "omge", {});
    if (step.do === "use") this.#use(conversion, from, last, step.forNdc);
  }

  #termsOf = ({ authorization }: Conversion): Authorization => authorizations[authorization] as Authorization;

  #mint(step: Extract<Step, { do: "mint" }>): void {
    const authorization = step.authorization % authorizations.length;
    const units = Array.from({ length: step.tonnes }, () => ({ party: "ZMB", status: "held", marked: false }));
    const index = this.#conversions.length + 1;
    const conversion = { index, authorization, first: this.#nextSerial, units, starts: new Set([0]) };
    this.#nextSerial += BigInt(step.tonnes) + BigInt(step.certificate % 3);
    this.#conversions.push(conversion);
    const isMixed = step.mixed && step.tonnes > 1;
    this.#sources.set(
      index,
      isMixed
        ? [...this.#takeLot(1, 1), ...this.#takeLot(2, step.tonnes - 1)]
        : this.#takeLot(1 + (step.certificate % 3), step.tonnes),
    );
    const last = step.tonnes - 1;
    this.#tell(conversion, 0, last, "Authorization", null, {});
    const { firstTransfer } = this.#termsOf(conversion);
    if (firstTransfer === "Authorisation") this.#mark(conversion, 0, last, "Authorization");
    if (firstTransfer === "Issuance") this.#mark(conversion, 0, last, "Issuance");
  }

  /** What is behind each tonne of each conversion. */
  readonly #sources = new Map<number, Behind[]>();
  /** Tonnes of each certificate that are ITMOs. */
  readonly #converted = new Map<number, number>();

  #takeLot(certificate: number, tonnes: number): Behind[] {
    const before = this.#converted.get(certificate) ?? 0;
    this.#converted.set(certificate, before + tonnes);
    return Array.from({ length: tonnes }, (_, i) => ({ certificate, unit: before + i }));
  }

  #cut(conversion: Conversion, from: number, last: number): Unit[] {
    conversion.starts.add(from);
    if (last + 1 < conversion.units.length) conversion.starts.add(last + 1);
    return conversion.units.slice(from, last + 1);
  }

  #mark(conversion: Conversion, from: number, last: number, subtype: ItmoActionSubtype): void {
    const units = this.#cut(conversion, from, last);
    if (units[0]?.marked) return;
    for (const unit of units) unit.marked = true;
    this.#tell(conversion, from, last, "First transfer", subtype, { transferringParty: units[0]?.party ?? null });
  }

  #transfer(conversion: Conversion, from: number, last: number, acquiringParty: string): void {
    const before = conversion.units[from] as Unit;
    if (before.party === acquiringParty) return;
    const transferringParty = before.party;
    const isFirst = !before.marked && this.#termsOf(conversion).purpose.startsWith("NDC");
    for (const unit of this.#cut(conversion, from, last)) {
      unit.party = acquiringParty;
      if (isFirst) unit.marked = true;
    }
    const subtype = isFirst ? "First transfer to another Party" : null;
    const movement = { transferringParty, acquiringParty };
    this.#tell(conversion, from, last, isFirst ? "First transfer" : "Transfer", subtype, movement);
  }

  #use(conversion: Conversion, from: number, last: number, forNdc: boolean): void {
    const { purpose } = this.#termsOf(conversion);
    const { party } = conversion.units[from] as Unit;
    if (forNdc) {
      if (!purpose.startsWith("NDC") || party === "ZMB") return;
      for (const unit of this.#cut(conversion, from, last)) unit.status = "used";
      this.#tell(conversion, from, last, "Use", null, { usingParty: party, ndcYear: 2026 });
      return;
    }
    if (purpose === "NDC") return;
    const used = purpose === "NDC and IMP" ? "IMP" : "OIMP";
    this.#end(conversion, from, last, "used", { purpose: used, usingEntity: `ENT-${conversion.authorization + 1}` });
  }

  #end(conversion: Conversion, from: number, last: number, status: string, more: Partial<Movement>): void {
    const units = this.#cut(conversion, from, last);
    for (const unit of units) unit.status = status;
    const isMarking = status === "omge" || this.#termsOf(conversion).firstTransfer === "Use or Cancellation";
    if (isMarking) this.#mark(conversion, from, last, "Use or cancellation");
    const movement = { usingParty: units[0]?.party ?? null, ...more };
    if (status === "used") this.#tell(conversion, from, last, "Use", null, movement);
    if (status === "cancelled") this.#tell(conversion, from, last, "Cancellation", "Other cancellations", movement);
    if (status === "omge") {
      this.#tell(conversion, from, last, "Cancellation", "Voluntary cancellation to deliver OMGE", movement);
    }
  }

  #tell(
    conversion: Conversion,
    from: number,
    last: number,
    type: Action["type"],
    subtype: Action["subtype"],
    movement: Partial<Movement>,
  ): void {
    this.#sequence += 1n;
    this.actions.push({
      ...this.#unitsOf(conversion, from, last),
      ...nothing,
      ...movement,
      type,
      subtype,
      isMandatory: false,
      sequence: this.#sequence,
      at: yearBegin + this.#sequence * 3_600n,
    });
  }

  #unitsOf = (conversion: Conversion, from: number, last: number) => ({
    approachId: "CA0001",
    authorizationId: this.#termsOf(conversion).authorizationId,
    firstTransferringParty: "ZMB",
    registryId: "ZMB01",
    firstId: conversion.first + BigInt(from),
    lastId: conversion.first + BigInt(last),
    vintage: 2025,
    underlying: underlyingOf(this.#sources.get(conversion.index)?.slice(from, last + 1) ?? []),
  });

  /** Serials that a Party holds, one by one. */
  heldBy(party: string): bigint[] {
    return this.#conversions.flatMap(({ first, units }) =>
      units.flatMap((unit, i) => (unit.status === "held" && unit.party === party ? [first + BigInt(i)] : [])),
    );
  }

  /** Blocks that a Party holds, as the contract would have cut them. */
  holdingsOf(party: string): Holding[] {
    return this.#conversions.flatMap((conversion) => {
      const starts = [...conversion.starts].sort((a, b) => a - b);
      return starts.flatMap((start, i) => {
        const unit = conversion.units[start] as Unit;
        if (unit.status !== "held" || unit.party !== party) return [];
        return [{ ...this.#unitsOf(conversion, start, (starts[i + 1] ?? conversion.units.length) - 1), party }];
      });
    });
  }

  sourceFor(party: string): AefSource {
    const { actions } = this;
    const holdings = this.holdingsOf(party);
    return {
      approaches,
      authorizations,
      async *actions() {
        yield* actions;
      },
      async *holdings() {
        yield* holdings;
      },
      capacityOf: () => ({ verified: 100_000n * tonne, count: 1n }),
    };
  }
}

const small = fc.nat({ max: 40 });
const part = { conversion: small, from: small, tonnes: fc.integer({ min: 1, max: 12 }) };

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("mint" as const),
    authorization: small,
    tonnes: fc.integer({ min: 1, max: 30 }),
    certificate: small,
    mixed: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom("transfer" as const, "cancel" as const, "omge" as const), ...part, party: small }),
  fc.record({ do: fc.constant("use" as const), ...part, forNdc: fc.boolean() }),
);

export const history: fc.Arbitrary<History> = fc.array(step, { minLength: 1, maxLength: 40 }).map((steps) => {
  const told = new History();
  told.take({ do: "mint", authorization: 0, tonnes: 20, certificate: 0, mixed: false });
  for (const each of steps) told.take(each);
  return told;
});

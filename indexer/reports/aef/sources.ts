/** The underlying units that rows name for their ITMOs, compared in one pass. */

import { formatScaled } from "../../../wire/src/exact.ts";
import { tonne } from "../../lib/lots.ts";
import type { Capacity } from "./facts.ts";
import { Ranges, type Span } from "./ranges.ts";

/** A tonne is a billion micro-CARBON. */
const TONNE_DECIMALS = 9;

type Units = { first: bigint; last: bigint };

/** The serials of a row's ITMOs. */
export type Serials = Omit<Span, "attribute">;

/** What a row names for its serials: `registry` is "" if it names nothing, `units` is null if they cannot be compared. */
export type Source = { registry: string; units: Units | null };

export type Fault = { serials: Serials; problem: string };
/**
 * Tonnes that name a source: of the row `part`, or in total of all rows that are not a part of another. `most`: whole tonnes that
 * the source verifies; undefined if unknown.
 */
export type Claim = { source: Source; tonnes: bigint; most: bigint | undefined; part?: Serials };

/** A row with the last of the rows that are parts of it, and how far those fill its units. */
type Whole = Serials & Source & { previous?: Whole; filled?: Filled };
/** A claim of rows that are part of no other. */
type Top = { row: Serials; registry: string; units: Units | null; tonnes: bigint };
/** How far rows fill units up to a last one. `to`: micro-CARBON from unit 0, times the units that verify it together. */
type Filled = { last: bigint; to: bigint };

export const sourceText = ({ registry, units }: Source): string =>
  units === null ? registry || "nothing" : `${registry} ${units.first}-${units.last}`;
const isWithin = (part: Units, whole: Units): boolean => part.first >= whole.first && part.last <= whole.last;

/**
 * Collect the rows' serials and underlying units, and compare them. A block is only ever split, so two rows have no serial in common,
 * or one is a part of the other. A part's units are within those of the whole, and parts have theirs in the order of their serials.
 */
export class Sources {
  readonly #serials = new Ranges();
  #units = new BigUint64Array(2_048);
  readonly #nameOf: (row: number) => string;

  readonly #capacityOf: (source: { registry: string; units: Units }) => Capacity | undefined;

  /**
   * @param nameOf Names a row in a problem
   * @param capacityOf Finds what the units of a source verify; undefined if unknown
   */
  constructor(
    nameOf: (row: number) => string,
    capacityOf: (source: { registry: string; units: Units }) => Capacity | undefined,
  ) {
    this.#nameOf = nameOf;
    this.#capacityOf = capacityOf;
  }

  add(serials: Serials, { registry, units }: Source): void {
    const at = this.#serials.size * 2;
    if (at === this.#units.length) {
      const units = new BigUint64Array(at * 2);
      units.set(this.#units);
      this.#units = units;
    }
    // An empty range stands for no units.
    this.#units.set(units === null ? [1n, 0n] : [units.first, units.last], at);
    this.#serials.add({ ...serials, attribute: registry });
  }

  /** Find the faults, and the tonnes that claim each source. */
  *compare(): Generator<Fault | Claim> {
    const claims = new Map<string, Top>();
    const claimed = new Ranges();
    const open: Whole[] = [];
    for (const row of this.#widestFirst()) {
      while (open.length > 0 && !isOpen(open.at(-1) as Whole, row)) open.pop();
      const whole = open.at(-1);
      const problem = whole === undefined ? undefined : this.#whyNotPart(row, whole);
      if (problem !== undefined) yield { serials: row, problem };
      if (problem !== undefined || (whole?.first === row.first && whole.last === row.last)) continue;
      open.push(row);
      if (whole !== undefined) whole.previous = row;
      const { group, first, last, registry, units } = row;
      const tonnes = last - first + 1n;
      if (whole !== undefined && whole.registry !== "") yield* this.#partOf(whole, { row, registry, units, tonnes });
      // Rows that name nothing count once, whatever their parts name.
      if (whole !== undefined && (whole.registry !== "" || row.registry === "")) continue;
      const key = sourceText(row);
      const serials = { group, first, last, row: row.row };
      claims.set(key, { row: serials, registry, units, tonnes: tonnes + (claims.get(key)?.tonnes ?? 0n) });
      if (units !== null) claimed.add({ group: registry, ...units, attribute: key, row: row.row });
    }
    yield* this.#claimedTwice(claimed);
    yield* this.#sharedBeyond([...claims.values()]);
    for (const { registry, units, tonnes } of claims.values()) yield this.#claimOf({ registry, units }, tonnes);
  }

  #claimOf(source: Source, tonnes: bigint): Claim {
    const { registry, units } = source;
    const capacity = units === null ? undefined : this.#capacityOf({ registry, units });
    const most = capacity === undefined || units === null ? undefined : tonnesOf(units, capacity);
    return { source, tonnes, most };
  }

  *#partOf(whole: Whole, part: Top): Generator<Fault | Claim> {
    const { row, registry, units, tonnes } = part;
    yield { ...this.#claimOf({ registry, units }, tonnes), part: row };
    whole.filled = yield* this.#fill(part, whole.filled);
  }

  /** Find the claims that share a unit with others beyond what it verifies. */
  *#sharedBeyond(claims: readonly Top[]): Generator<Fault> {
    const ordered = claims.flatMap(({ units, ...claim }) => (units === null ? [] : [{ ...claim, units }]));
    ordered.sort(
      (a, b) =>
        compareTexts(a.registry, b.registry) ||
        compareNumbers(a.units.first, b.units.first) ||
        compareNumbers(a.units.last, b.units.last),
    );
    let [registry, filled]: [string, Filled | undefined] = ["", undefined];
    for (const claim of ordered) {
      filled = yield* this.#fill(claim, claim.registry === registry ? filled : undefined);
      registry = claim.registry;
    }
  }

  /** Fill the units of a claim after those before it, and find whether a shared unit has too few tonnes left. */
  *#fill({ row, registry, units, tonnes }: Top, before: Filled | undefined): Generator<Fault, Filled | undefined> {
    const capacity = units === null ? undefined : this.#capacityOf({ registry, units });
    if (units === null || capacity === undefined) return before;
    const { verified, count } = capacity;
    const begin = units.first * verified;
    const used = before?.last === units.first && before.to > begin ? before.to - begin : 0n;
    const to = begin + used + tonnes * tonne * count;
    const end = (units.last + 1n) * verified;
    if (to > end && used > 0n && tonnes <= tonnesOf(units, capacity)) {
      const claimed = formatScaled(used / count, TONNE_DECIMALS);
      const problem = `${tonnes} t do not fit into ${sourceText({ registry, units })}: rows before it claim ${claimed} t of its first unit`;
      yield { serials: row, problem };
    }
    return { last: units.last, to: to > end ? end : to };
  }

  #whyNotPart(row: Whole, whole: Whole): string | undefined {
    const name = this.#nameOf(whole.row);
    if (row.last > whole.last) return `${serialsText(row)} overlap ${name} without being a part of it`;
    const isSame = row.first === whole.first && row.last === whole.last;
    if (isSame) return sourceText(row) === sourceText(whole) ? undefined : `${differ(row)} differ from ${name}`;
    if (whole.registry === "") return undefined;
    if (row.registry !== whole.registry || row.units === null || whole.units === null) {
      return sourceText(row) === sourceText(whole) ? undefined : `${differ(row)} differ from ${name}`;
    }
    if (!isWithin(row.units, whole.units)) return `${differ(row)} are not within ${sourceText(whole)} of ${name}`;
    const before = whole.previous?.units;
    // Two parts may share the unit at which one ends and the next begins, as far as it verifies tonnes.
    if (before === undefined || before === null || row.units.first >= before.last) return undefined;
    return `${differ(row)} overlap ${sourceText(whole.previous as Whole)} of ${this.#nameOf((whole.previous as Whole).row)}`;
  }

  *#claimedTwice(claimed: Ranges): Generator<Fault> {
    for (const { earlier, later } of claimed.overlaps()) {
      if (later.first === earlier.last) continue;
      const problem = `underlying ${later.attribute} overlaps ${earlier.attribute} of ${this.#nameOf(earlier.row)}`;
      yield { serials: later, problem };
    }
  }

  *#widestFirst(): Generator<Whole> {
    for (const { at, span } of this.#serials.widestFirst()) {
      const { attribute: registry, ...serials } = span;
      const [first, last] = [this.#units[at * 2] as bigint, this.#units[at * 2 + 1] as bigint];
      yield { ...serials, registry, units: first > last ? null : { first, last } };
    }
  }
}

/** Whole tonnes that units verify. */
const tonnesOf = ({ first, last }: Units, { verified, count }: Capacity): bigint =>
  ((last - first + 1n) * verified) / count / tonne;
const compareNumbers = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const isOpen = (whole: Serials, { group, first }: Serials): boolean => whole.group === group && whole.last >= first;
const serialsText = ({ group, first, last }: Serials): string => `${group} ${first} to ${last}`;
const differ = (row: Whole): string => `underlying units ${sourceText(row)} of ${serialsText(row)}`;

/** The underlying units that rows name for their ITMOs, compared in one pass. */

import { Ranges } from "./ranges.ts";
import {
  type CapacityOf,
  type Fault,
  type Filled,
  fillUnits,
  type Serials,
  type Source,
  type SourceClaim,
  sharedBeyondCapacity,
  sourceText,
  tonnesOf,
  type Units,
} from "./unit-filling.ts";

/**
 * Tonnes that name a source: of the row `part`, or in total of all rows that are not a part of another. `most`: whole tonnes that
 * the source verifies; undefined if unknown.
 */
export type Claim = { source: Source; tonnes: bigint; most: bigint | undefined; part?: Serials };

/** A row with the last of the rows that are parts of it, and how far those fill its units. */
type Whole = Serials & Source & { previous?: Whole; filled?: Filled };
const isWithin = (part: Units, whole: Units): boolean => part.first >= whole.first && part.last <= whole.last;

/**
 * Collect the rows' serials and underlying units, and compare them. A block is only ever split, so two rows have no serial in common,
 * or one is a part of the other. A part's units are within those of the whole, and parts have theirs in the order of their serials.
 */
export class Sources {
  readonly #serials = new Ranges();
  #units = new BigUint64Array(2_048);
  readonly #nameOf: (row: number) => string;

  readonly #capacityOf: CapacityOf;

  /**
   * @param nameOf Names a row in a problem
   * @param capacityOf Finds what the units of a source verify; undefined if unknown
   */
  constructor(nameOf: (row: number) => string, capacityOf: CapacityOf) {
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
    const claims = new Map<string, SourceClaim>();
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
    yield* sharedBeyondCapacity([...claims.values()], this.#capacityOf);
    for (const { registry, units, tonnes } of claims.values()) yield this.#claimOf({ registry, units }, tonnes);
  }

  #claimOf(source: Source, tonnes: bigint): Claim {
    const { registry, units } = source;
    const capacity = units === null ? undefined : this.#capacityOf({ registry, units });
    const most = capacity === undefined || units === null ? undefined : tonnesOf(units, capacity);
    return { source, tonnes, most };
  }

  *#partOf(whole: Whole, part: SourceClaim): Generator<Fault | Claim> {
    const { row, registry, units, tonnes } = part;
    yield { ...this.#claimOf({ registry, units }, tonnes), part: row };
    whole.filled = yield* fillUnits(part, whole.filled, this.#capacityOf);
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

const isOpen = (whole: Serials, { group, first }: Serials): boolean => whole.group === group && whole.last >= first;
const serialsText = ({ group, first, last }: Serials): string => `${group} ${first} to ${last}`;
const differ = (row: Whole): string => `underlying units ${sourceText(row)} of ${serialsText(row)}`;

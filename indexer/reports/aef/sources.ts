/** The underlying units that rows name for their ITMOs, compared in one pass. */

import { Ranges, type Span } from "./ranges.ts";

type Units = { first: bigint; last: bigint };

/** The serials of a row's ITMOs. */
export type Serials = Omit<Span, "attribute">;

/** What a row names for its serials: `registry` is "" if it names nothing, `units` is null if they cannot be compared. */
export type Source = { registry: string; units: Units | null };

export type Fault = { serials: Serials; problem: string };
/** Tonnes that name a source: of the row `part`, or in total of all rows that are not a part of another. */
export type Claim = { source: Source; tonnes: bigint; part?: Serials };

/** A row with the rows that are parts of it. */
type Whole = Serials & Source & { previous?: Whole };

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

  /** @param nameOf Names a row in a problem */
  constructor(nameOf: (row: number) => string) {
    this.#nameOf = nameOf;
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
    const claims = new Map<string, Claim>();
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
      const source = { registry: row.registry, units: row.units };
      const tonnes = row.last - row.first + 1n;
      if (whole !== undefined && whole.registry !== "") yield { source, tonnes, part: row };
      // Rows that name nothing count once, whatever their parts name.
      if (whole !== undefined && (whole.registry !== "" || row.registry === "")) continue;
      const key = sourceText(row);
      claims.set(key, { source, tonnes: tonnes + (claims.get(key)?.tonnes ?? 0n) });
      if (row.units !== null) claimed.add({ group: row.registry, ...row.units, attribute: key, row: row.row });
    }
    yield* this.#claimedTwice(claimed);
    yield* claims.values();
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
    // Two parts may share the unit at which one ends and the next begins.
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

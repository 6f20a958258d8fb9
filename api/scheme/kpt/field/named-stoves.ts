import { dateOf } from "../../../platform/chain/index.ts";
import { type PlacedDevice, spellingOf } from "../../devices/index.ts";
import type { FlaggedClaim } from "./store.ts";
import type { KptStoveSeriesRow, KptVisitRow } from "./tables.ts";

/** `bySpelling`: registered devices by how their serials are spelled. `households`: indexes of the claims' households by DID. */
export type NamedDevices = {
  bySpelling: ReadonlyMap<string, PlacedDevice>;
  households: ReadonlyMap<string, number>;
};
type Named = { visits: readonly KptVisitRow[]; series: readonly KptStoveSeriesRow[] };

/** List the spellings of all stoves that visits and series name; some are kinds of stoves. */
export function namedSpellings({ visits, series }: Named): string[] {
  const named = [...visits.flatMap(({ stoves }) => stoves ?? []), ...series.flatMap(({ stove }) => stove ?? [])];
  return [...new Set(named.map(spellingOf))];
}

/**
 * List the stoves of a claim that the registry of devices has in another household, or not in place on that day. A stove that is not
 * registered, such as an old one, is not compared.
 */
export function foreignStoves(
  { householdDid, startDay, endDay }: FlaggedClaim,
  { visits, series }: Named,
  { bySpelling, households }: NamedDevices,
): { path: string; message: string }[] {
  const own = households.get(householdDid);
  const faultOf = (stove: string, first: number, last: number): string | undefined => {
    const device = bySpelling.get(spellingOf(stove));
    const [from, to] = [dateOf(first), dateOf(last)];
    if (device === undefined) return undefined;
    if (device.household !== own) return `The stove ${stove} is registered in another household.`;
    const isInPlace = device.installedOn <= from && (device.retiredOn === null || device.retiredOn > to);
    return isInPlace
      ? undefined
      : `The stove ${stove} was not in place ${from === to ? `on ${from}` : `from ${from} to ${to}`}.`;
  };
  const named = [
    ...visits.flatMap(({ day, stoves }) =>
      (stoves ?? []).map((stove) => ({
        path: `visits.${day}`,
        message: faultOf(stove, startDay + day, startDay + day),
      })),
    ),
    ...series.map(({ item, stove }) => ({
      path: `evidence.${item}`,
      message: stove === null ? undefined : faultOf(stove, startDay, endDay),
    })),
  ];
  return named.flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
}

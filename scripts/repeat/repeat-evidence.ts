import { rawCid } from "../../api/platform/ucan/index.ts";
import type { OpenedRoom } from "./open-room.ts";
import type { FiledClaim } from "./repeat-claims.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

/** Paths of the evidence files by the folder of their claim. */
export function evidenceByFolder({ manifest }: OpenedRoom): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path } of manifest.files) {
    const folder = /^(claims\/[^/]+)\/evidence-/.exec(path)?.[1];
    if (folder === undefined) continue;
    const paths = found.get(folder);
    if (paths === undefined) found.set(folder, [path]);
    else paths.push(path);
  }
  return found;
}

/**
 * Check that the claim names each of its evidence files by its CID, and that the data room has each file that the claim names and does not
 * call a link to another place.
 */
export function evidenceFaults(
  room: OpenedRoom,
  paths: readonly string[],
  { id, filed }: { id: string; filed: FiledClaim },
): string[] {
  const held = new Map(paths.map((path) => [uriOf(room, path), path]));
  const foreign = [...held].filter(([uri]) => !filed.evidence.includes(uri));
  const lacking = filed.evidence.filter((uri, place) => mustHold(filed, place) && !held.has(uri));
  return [
    ...foreign.map(([, path]) => `${path} is not a piece of evidence that ${id} names.`),
    ...lacking.map((uri) => `${id} names the evidence ${uri}, and the data room has no file with these bytes.`),
  ];
}

/** The CID URI of a file of the data room. */
export function uriOf({ hashes }: OpenedRoom, path: string): string {
  return `ipfs://${rawCid(Buffer.from(hashes.get(path) ?? "", "hex"))}`;
}

/**
 * Whether the service stored a piece of evidence. A claim of an earlier version does not say which of its CIDs are links alone; of those
 * only a URI that was kept as a record is certain.
 */
function mustHold({ linked, stated, evidence }: FiledClaim, place: number): boolean {
  if (linked !== undefined) return !linked.includes(place);
  const item = stated[place];
  const uri = typeof item === "string" ? item : (item?.uri ?? `ipfs://${item?.cid}`);
  return uri !== evidence[place];
}

/** Tell which evidence the data room does not hold because it is a link, and which scales have no calibration in it. */
export function repeatLinks(data: RoomData, claims: Iterable<FiledClaim>): Step[] {
  const filed = [...claims];
  const ofClaims = filed.reduce((sum, each) => sum + each.evidence.filter((_, i) => !mustHold(each, i)).length, 0);
  const ofPositions = data.positions.filter(({ evidence }) => evidence != null).length;
  const ofDevices = (data.usage?.positions ?? []).reduce((sum, { record }) => sum + (record?.evidence ?? []).length, 0);
  const counts = [
    [ofClaims, "of claims"],
    [ofPositions, "of replaced and missing positions"],
    [ofDevices, "of the usage survey"],
  ] as const;
  const stated = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const notes = stated.length === 0 ? [] : [`Links to evidence that is stored elsewhere: ${stated.join(", ")}.`];
  const calibrated = new Set(data.scales.map(({ serial }) => serial));
  const scales = new Set(
    filed.flatMap(({ visits = [] }) => visits.flatMap(({ fuels }) => fuels.map((each) => each.scaleId))),
  );
  const without = [...scales].filter((serial) => serial !== undefined && !calibrated.has(serial));
  if (without.length > 0)
    notes.push(`Visits name scales whose calibration the data room lacks: ${without.join(", ")}.`);
  return notes.length === 0 ? [] : [{ ...step("Evidence that the data room does not hold", []), notes }];
}

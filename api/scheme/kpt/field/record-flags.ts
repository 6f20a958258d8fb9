import type { RenewabilityArea } from "../../emissions/index.ts";
import { isInArea } from "./areas.ts";

export const recordFlagRules = ["photo-outside-period", "photo-outside-area", "photo-twice"] as const;
export const recordKinds = ["replaced", "missing", "surveyed", "survey-missing", "installed"] as const;

/** A record of a campaign in addition to its claims, whose photos are compared. */
export type FlaggedRecord = {
  kind: (typeof recordKinds)[number];
  /** Null for an installed device. */
  group: "reference" | "intervention" | null;
  position: number | null;
  /** Null for a position. */
  serial: string | null;
  /** Equal for records that may share evidence: the two records of a pair, which are one household. */
  id: string;
  /** First and last day on which a photo of the record can be taken; null: not limited. */
  first: string | null;
  last: string | null;
  photos: RecordPhoto[];
};

/** A piece of evidence: EXIF data, null where there are none, and who else has it. */
export type RecordPhoto = {
  takenAt: string | null;
  latitude: bigint | null;
  longitude: bigint | null;
  /** Ids of claims and campaigns, and serials of devices, with the same bytes or the same link. */
  others: string[];
};

/** A contradiction for an evaluator to review. It refuses nothing and changes no figure. */
export type RecordFlag = Pick<FlaggedRecord, "kind" | "group" | "position" | "serial"> & {
  rule: (typeof recordFlagRules)[number];
  /** Place in the record's evidence. */
  path: string;
  message: string;
  others: string[];
};

/** List each contradiction between what records say and what their photos show. */
export function recordFlags(records: readonly FlaggedRecord[], area: RenewabilityArea | null): RecordFlag[] {
  return records.flatMap((record) =>
    record.photos.flatMap((photo, item) => {
      const { kind, group, position, serial } = record;
      const of = { kind, group, position, serial, path: `evidence.${item}` };
      return [...periodFlags(record, photo), ...areaFlags(photo, area), ...twiceFlags(photo)].map((flag) => ({
        ...of,
        ...flag,
      }));
    }),
  );
}

type Found = Pick<RecordFlag, "rule" | "message" | "others">[];

function periodFlags({ first, last }: FlaggedRecord, { takenAt }: RecordPhoto): Found {
  const day = takenAt?.slice(0, 10);
  if (day === undefined) return [];
  const rule = "photo-outside-period";
  const taken = `The photo says that it was taken on ${day}`;
  if (first !== null && day < first) return [{ rule, message: `${taken}, before ${first}.`, others: [] }];
  if (last !== null && day > last) return [{ rule, message: `${taken}, after ${last}.`, others: [] }];
  return [];
}

function areaFlags({ latitude, longitude }: RecordPhoto, area: RenewabilityArea | null): Found {
  if (area === null || latitude === null || longitude === null || isInArea(area, latitude, longitude)) return [];
  const message = `The photo says that it was taken outside ${area}.`;
  return [{ rule: "photo-outside-area", message, others: [] }];
}

function twiceFlags({ others }: RecordPhoto): Found {
  if (others.length === 0) return [];
  return [
    { rule: "photo-twice", message: "The same photo is evidence of another record, or twice of this one.", others },
  ];
}

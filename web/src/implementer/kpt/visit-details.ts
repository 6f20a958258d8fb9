import { exact } from "../../../../wire/src/exact.ts";
import { peopleKinds } from "../../../../wire/src/kpt-visits.ts";

export type StoveDraft = { kind: string; serial: string; isUsed: boolean };
export type PlaceDraft = { latitude: string; longitude: string; accuracy: string };

/** What a visit found besides the weighings, as typed; blank: not given. */
export type DetailsDraft = {
  peopleFed: Record<(typeof peopleKinds)[number], string>;
  stoves: StoveDraft[];
  /** Where this device was; absent: not asked. */
  place?: PlaceDraft | undefined;
  notes: string;
};

const nobody = { children: "", women: "", men: "", elderly: "", guests: "" };
export const blankDetails: DetailsDraft = { peopleFed: nobody, stoves: [], notes: "" };
export const blankStove: StoveDraft = { kind: "", serial: "", isUsed: true };
/** Most stoves of a kitchen that a visit lists. */
export const mostStoves = 20;

const isCount = (text: string) => /^\d{1,3}$|^1000$/.test(text.trim());
/** Decimals of a position: about ten centimetres. */
const PLACE_DECIMALS = 6;

/** A position of this device with the digits that are sent. */
export function placeOf({ latitude, longitude, accuracy }: GeolocationCoordinates): PlaceDraft {
  return {
    latitude: latitude.toFixed(PLACE_DECIMALS),
    longitude: longitude.toFixed(PLACE_DECIMALS),
    accuracy: accuracy.toFixed(1),
  };
}

/** The fields of a visit's details that cannot be sent: people who are not counted by numbers, and stoves without a kind. */
export function unreadableDetails({ peopleFed, stoves }: DetailsDraft): string[] {
  const people = peopleKinds.filter((who) => peopleFed[who].trim() !== "" && !isCount(peopleFed[who]));
  const unnamed = stoves.flatMap(({ kind }, index) => (kind.trim() === "" ? [`stoves.${index}.kind`] : []));
  return [...people.map((who) => `peopleFed.${who}`), ...unnamed];
}

/** The details in the API's form; without what was not entered. */
export function sentDetails({ peopleFed, stoves, place, notes }: DetailsDraft) {
  const people = peopleKinds.flatMap((who) =>
    isCount(peopleFed[who]) ? [[who, Number(peopleFed[who])] as const] : [],
  );
  const named = stoves.filter(({ kind }) => kind.trim() !== "");
  return {
    ...(place === undefined
      ? {}
      : {
          gps: {
            latitude: exact(place.latitude),
            longitude: exact(place.longitude),
            accuracy: exact(place.accuracy),
          },
        }),
    ...(people.length === 0 ? {} : { peopleFed: Object.fromEntries(people) }),
    ...(named.length === 0
      ? {}
      : {
          stoves: named.map(({ kind, serial, isUsed }) => ({
            ...(serial.trim() === "" ? {} : { serial: serial.trim() }),
            kind: kind.trim(),
            used: isUsed,
          })),
        }),
    ...(notes.trim() === "" ? {} : { notes: notes.trim() }),
  };
}

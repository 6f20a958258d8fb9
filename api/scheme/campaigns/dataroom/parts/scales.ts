import { scaleStore } from "../../../devices/index.ts";
import { actsOf, verificationsFrom } from "../../findings/acts.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/**
 * The calibrations of the plan's scales, which visits name. Once there is a certificate, those that were recorded after the
 * verifier's last signature are left out: the certificate names the hash that was signed.
 */
export const scalesPart: DataRoomPart = async ({ db }, { row }) => {
  const signed = row.certificate === null ? undefined : verificationsFrom(await actsOf(db, [row.campaign])).at(-1);
  const all = await scaleStore(db).all(row.plan);
  const calibrations = all.filter(({ createdAt }) => signed === undefined || createdAt <= signed.act.at);
  if (calibrations.length === 0) return [];
  const listed = calibrations.map(({ serial, calibratedOn, validUntil, certificate, sha256, createdAt }) => {
    return { serial, calibratedOn, validUntil, certificate, sha256, recordedAt: createdAt.toISOString() };
  });
  return [jsonFile("scales.json", listed)];
};

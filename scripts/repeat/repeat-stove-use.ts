import { claimFolderOf } from "../../api/scheme/campaigns/dataroom/manifest.ts";
import { type AttachedSeries, compareStoveUse } from "../../api/scheme/kpt/stove-use/compare.ts";
import { serializeCookingRule, serializeStoveUse } from "../../api/scheme/kpt/stove-use/serialize.ts";
import { readStoveSeries, stoveSeriesType } from "../../api/scheme/kpt/stove-use/series.ts";
import { kptDayOf } from "../../wire/src/kpt-rules.ts";
import type { KptVisit } from "../../wire/src/kpt-visits.ts";
import { differencesOf } from "./differences.ts";
import type { OpenedRoom } from "./open-room.ts";
import type { RoomClaim, RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

/** The parts of a claim's file that its series are compared with. */
type MonitoredClaim = {
  dailyLogs: readonly bigint[];
  visits:
    | (KptVisit & { stoves?: { serial?: string | undefined; kind: string; used: boolean }[] | undefined })[]
    | undefined;
  stated: (string | { type: string; stove?: string | undefined })[];
};

/** Count the events of each stove-use monitor again, compare them with the logs of its claim, and with what is stated. */
export async function repeatStoveUse(
  room: OpenedRoom,
  { stoveUse }: RoomData,
  claims: ReadonlyMap<RoomClaim, MonitoredClaim>,
): Promise<Step[]> {
  const faults: string[] = [];
  const repeated: { claimId: string; item: number }[] = [];
  for (const [claim, filed] of claims) {
    const attached: AttachedSeries[] = [];
    for (const [item, stated] of filed.stated.entries()) {
      if (typeof stated === "string" || stated.type !== stoveSeriesType) continue;
      const path = `${claimFolderOf(claim.id)}/evidence-${item + 1}.csv`;
      const bytes = room.contents.get(path);
      const read = bytes === undefined ? undefined : await readStoveSeries(bytes);
      if (read === undefined) faults.push(`${path} is missing.`);
      else if ("broken" in read) faults.push(`${path} is not the series of a stove-use monitor.`);
      else attached.push({ item, stove: stated.stove ?? null, series: read.series });
    }
    const { dailyLogs, visits } = filed;
    const compared = { startDay: kptDayOf(claim.startDate), endDay: kptDayOf(claim.endDate), dailyLogs, visits };
    for (const { firstAt, lastAt, ...use } of compareStoveUse(compared, attached)) {
      const dated = { ...use, firstAt: new Date(firstAt), lastAt: new Date(lastAt) };
      repeated.push({ claimId: claim.id, ...serializeStoveUse(dated) });
    }
  }
  if (repeated.length === 0 && faults.length === 0 && stoveUse === undefined) return [];
  repeated.sort((a, b) => (a.claimId === b.claimId ? a.item - b.item : a.claimId < b.claimId ? -1 : 1));
  const differences = [
    ...differencesOf(stoveUse?.series ?? [], repeated, "stove use"),
    ...differencesOf(stoveUse?.rule, serializeCookingRule(), "rule of cooking events"),
  ];
  return [step(`Stove-use monitors: events of ${repeated.length} series counted again`, faults, differences)];
}

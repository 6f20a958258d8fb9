import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { claimFolderOf } from "../../api/scheme/campaigns/dataroom/manifest.ts";
import { evidencePieces, marksOf } from "../../api/scheme/campaigns/evidence-marks.ts";
import { evidenceUses, sharedEvidenceOf } from "../../api/scheme/campaigns/result/flags/shared-evidence.ts";
import type { ResultRecord } from "../../api/scheme/campaigns/result/record.ts";
import type { FlagRule } from "../../api/scheme/emissions/index.ts";
import { UnavailableError } from "../verifier-command.ts";
import { type OpenedRoom, textOf } from "./open-room.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

const piece = z.object({ uri: z.string().optional(), cid: z.string().optional(), sha256: z.string().optional() });
const statedEvidence = z.object({
  claim: z.object({ evidence: z.array(z.union([z.string(), piece])).optional() }),
});
const exact = z.custom<{ value: string }>(isLosslessNumber);
const positions = z.array(exact.transform(({ value }) => Number(value)));
const places = { reference: positions, intervention: positions, surveyed: positions };
const statedElsewhere = z.object({
  record: z.object({ evidenceElsewhere: z.array(z.object({ campaignId: z.string(), ...places })).optional() }),
});

/** Compare the evidence of claims, replaced and missing households and surveyed devices again, from the raw files. */
export function sharedEvidenceIn(
  room: OpenedRoom,
  data: RoomData,
  isPaired: boolean,
): Pick<ResultRecord, "sharedEvidence"> {
  const dropped = (ended: "replaced" | "missing") =>
    data.positions
      .filter((each) => each.ended === ended)
      .map(({ group, position, evidence = null }) => ({ group, position, evidence }));
  const uses = evidenceUses({
    isPaired,
    claims: data.claims
      .filter(({ status }) => status === "verified")
      .map(({ id, group, position }) => ({ id, group, position, marks: marksOfClaim(room, id) })),
    replaced: dropped("replaced"),
    missing: dropped("missing"),
    surveyed: (data.usage?.positions ?? []).map(({ position, record }) => {
      return { position, evidence: record?.evidence ?? [] };
    }),
  });
  return { sharedEvidence: sharedEvidenceOf(uses) };
}

/** A claim without a readable file is a fault of the step that repeats claims. */
function marksOfClaim(room: OpenedRoom, id: string): string[] {
  const path = `${claimFolderOf(id)}/claim.json`;
  if (!room.contents.has(path)) return [];
  const parsed = statedEvidence.safeParse(JSON.parse(textOf(room, path)));
  return parsed.success ? marksOf(evidencePieces(parsed.data.claim.evidence ?? [])) : [];
}

/** Read which evidence a result says that other campaigns have. A data room does not show it. */
export function elsewhereOf(stated: object): Pick<ResultRecord, "evidenceElsewhere"> {
  const parsed = statedElsewhere.safeParse(stated);
  if (!parsed.success) throw new UnavailableError("result.json is not the result of a campaign.");
  const { evidenceElsewhere } = parsed.data.record;
  return evidenceElsewhere === undefined ? {} : { evidenceElsewhere };
}

/** Say that the comparison with other campaigns is as the service stated it. */
export function repeatElsewhere({ evidenceElsewhere = [] }: ResultRecord, rules: readonly FlagRule[]): Step[] {
  if (!rules.includes("evidence-of-other-campaign")) return [];
  const named = evidenceElsewhere.map(({ campaignId }) => campaignId);
  const shared = named.length === 0 ? "none" : named.join(", ");
  const note = `Campaigns with evidence of this one, as the service states it: ${shared}. Only their data rooms show it.`;
  return [{ ...step("Evidence of other campaigns", []), notes: [note] }];
}

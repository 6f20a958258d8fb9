import { absoluteUri } from "../../../../wire/src/absolute-uri.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hexOf } from "../../numbers/hex.ts";
import type { dropReasons } from "../campaigns/records.ts";
import { isDay } from "../days.ts";

type Position = Pick<Schemas["UsagePosition"], "position" | "householdId">;

/** The fields of a visit. The photo stays on this device; only its hash is sent. */
export type VisitDraft = {
  deviceSeen: boolean;
  inUse: boolean;
  date: string;
  surveyorDid: string;
  uri: string;
  photo: File | null;
  note: string;
};

/** The fields of a new visit, on the day of this device's clock. */
export function blankVisit(surveyorDid: string, now: Date): VisitDraft {
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  return { deviceSeen: true, inUse: true, date, surveyorDid, uri: "", photo: null, note: "" };
}

/** Change whether the device was seen: one that was not seen cannot be in use. */
export function foundOf(deviceSeen: boolean, { inUse }: VisitDraft): Pick<VisitDraft, "deviceSeen" | "inUse"> {
  return { deviceSeen, inUse: deviceSeen && inUse };
}

const isUri = (text: string) => absoluteUri.test(text.trim()) && !/^data:/i.test(text.trim());

type UsageProblem = "date" | "did" | "uri";

/** What is wrong with each field of a visit. The API checks everything else. */
export function visitProblems({ date, surveyorDid, uri }: VisitDraft): Partial<Record<keyof VisitDraft, UsageProblem>> {
  const problems: Partial<Record<keyof VisitDraft, UsageProblem>> = {};
  if (!isDay(date)) problems.date = "date";
  if (!/^did:[a-z0-9]+:\S+$/.test(surveyorDid.trim())) problems.surveyorDid = "did";
  if (!isUri(uri)) problems.uri = "uri";
  return problems;
}

/** A visit in the API's form. */
export async function visitOf(
  { position, householdId }: Position,
  draft: VisitDraft,
): Promise<Schemas["NewUsageRecord"]> {
  const { deviceSeen, inUse, date, surveyorDid, uri, photo, note } = draft;
  const sha256 = photo === null ? undefined : await sha256Of(photo);
  return {
    position,
    householdId: householdId ?? "",
    deviceSeen,
    inUse,
    date,
    surveyorDid: surveyorDid.trim(),
    evidence: [{ uri: uri.trim(), ...(sha256 === undefined ? {} : { sha256 }) }],
    ...(note.trim() === "" ? {} : { note: note.trim() }),
  };
}

async function sha256Of(file: File): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
}

export type MissingDraft = { reason: (typeof dropReasons)[number]; uri: string; note: string };
export const blankMissing: MissingDraft = { reason: "absent", uri: "", note: "" };

/** What is wrong with each field of a missing device: the reason `other` needs evidence. */
export function missingProblems({ reason, uri }: MissingDraft): Partial<Record<keyof MissingDraft, UsageProblem>> {
  const isGiven = uri.trim() !== "";
  return (isGiven && !isUri(uri)) || (!isGiven && reason === "other") ? { uri: "uri" } : {};
}

/** A missing device in the API's form. */
export function missingOf({ position }: Position, { reason, uri, note }: MissingDraft): Schemas["NewUsageMissing"] {
  return {
    position,
    reason,
    ...(uri.trim() === "" ? {} : { evidence: [{ uri: uri.trim() }] }),
    ...(note.trim() === "" ? {} : { note: note.trim() }),
  };
}

import { z } from "zod";
import { drawDocument } from "../../api/scheme/campaigns/draw/document-schema.ts";
import { dropReasons } from "../../api/scheme/campaigns/groups.ts";
import { kptFuels, peopleKinds } from "../../wire/src/kpt-visits.ts";
import { UnavailableError } from "../verifier-command.ts";
import { type OpenedRoom, textOf } from "./open-room.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const group = z.enum(["reference", "intervention"]);
const whole = z.number().int().min(0);
const date = z.iso.date();
const frame = z.object({ root: hash, size: whole });
const place = { blockNumber: whole, transactionHash: hash };

const campaign = z.object({
  campaignId: z.string(),
  campaign: whole,
  chainId: whole,
  contract: z.string(),
  planId: z.string(),
  testPeriod: z.object({ startDate: date, endDate: date }),
  sampleSize: whole,
  frames: z.object({ reference: frame, intervention: frame }),
  terms: z.string(),
  committed: z.object(place),
  amendments: z.array(z.object({ ...place, version: whole, reason: z.string(), terms: z.string() })),
  closed: z.object({ ...place, resultHash: hash, at: z.string() }),
});
const position = z.object({
  group,
  position: whole,
  leaf: hash,
  ended: z.enum(["measured", "replaced", "missing", "open"]),
  replacedBy: whole.nullable().optional(),
  reason: z.enum(dropReasons).optional(),
  evidence: z.string().nullable().optional(),
});
const people = Object.fromEntries(peopleKinds.map((kind) => [kind, whole])) as Record<
  (typeof peopleKinds)[number],
  typeof whole
>;
const amount = z.string().regex(/^\d{1,18}$/);
const claim = z.object({
  id: z.string().regex(/^KPT-[0-9A-Z*~$=-]+$/),
  status: z.enum(["verified", "revoked"]),
  group,
  position: whole,
  startDate: date,
  endDate: date,
  totalGrams: amount,
  logs: whole,
  fuels: z.partialRecord(z.enum(kptFuels), amount).nullable().optional(),
  weighed: z.partialRecord(z.enum(kptFuels), amount).optional(),
  fed: z.object({ days: whole, nobody: whole, ...people }).optional(),
  householdHash: hash,
  claimHash: hash,
  credentialHash: hash,
  evidence: z.array(z.string()),
});
/**
 * `household` is absent from results that were closed before devices were counted by household, and `retirementRecordedAt`,
 * `retirementRecordedIn` and `retiredAfterDraw` from those that were closed before these were kept.
 */
const device = z.object({
  serial: z.string(),
  household: whole.optional(),
  installedOn: date,
  retiredOn: date.optional(),
  retirementRecordedAt: z.iso.datetime().optional(),
  retirementRecordedIn: whole.optional(),
  retiredAfterDraw: z.boolean().optional(),
});
const frameDevice = z.object({ serial: z.string(), age: whole, leaf: hash });
const usagePosition = z.object({
  position: whole,
  age: whole,
  serial: z.string(),
  record: z
    .object({
      outcome: z.enum(["surveyed", "missing"]),
      inUse: z.boolean().nullable(),
      reason: z.enum(dropReasons).nullable(),
      date: date.nullable().optional(),
      evidence: z.array(z.object({ uri: z.string(), sha256: z.string().optional() })).optional(),
    })
    .nullable(),
});
const parameter = z.object({
  id: z.string(),
  kind: z.string(),
  key: z.string(),
  value: z.string(),
  /** Of a choice: the chosen word. */
  unit: z.string(),
  source: z.string(),
  validFrom: date,
  validTo: date.nullable(),
  blockNumber: whole.optional(),
});
const member = z.object({ group, position: whole, men: whole, women: whole, children: whole, elderly: whole });
const sibling = z.object({
  campaignId: z.string(),
  status: z.enum(["committed", "drawn", "closed", "abandoned"]),
  isRival: z.literal(false).optional(),
  discardedBy: z.string().optional(),
});

const scale = z.object({ serial: z.string() });

const stoveUse = z.object({
  rule: z.record(z.string(), z.unknown()),
  series: z.array(z.record(z.string(), z.unknown())),
});

export type RoomClaim = z.infer<typeof claim>;
export type RoomPosition = z.infer<typeof position>;

/** The records of a data room, apart from the result. */
export type RoomData = {
  campaign: z.infer<typeof campaign>;
  draw: z.infer<typeof drawDocument>;
  positions: RoomPosition[];
  claims: RoomClaim[];
  /** Undefined where no device is counted. */
  devices: z.infer<typeof device>[] | undefined;
  /** Undefined where no usage survey was drawn. */
  usage: { devices: z.infer<typeof frameDevice>[]; positions: z.infer<typeof usagePosition>[] } | undefined;
  /** Calibrations of the plan's scales. */
  scales: z.infer<typeof scale>[];
  /** Undefined where no claim has the series of a stove-use monitor. */
  stoveUse: z.infer<typeof stoveUse> | undefined;
  parameters: z.infer<typeof parameter>[];
  members: z.infer<typeof member>[];
  siblings: z.infer<typeof sibling>[];
};

/** @throws UnavailableError naming the file that is missing or has another form */
export function readData(room: OpenedRoom): RoomData {
  return {
    campaign: readAs(room, "campaign.json", campaign),
    draw: readAs(room, "draw.json", drawDocument),
    positions: readAs(room, "positions.json", z.array(position)),
    claims: readAs(room, "claims.json", z.array(claim)),
    devices: room.contents.has("devices.json") ? readAs(room, "devices.json", z.array(device)) : undefined,
    usage: room.contents.has("usage-frame.json")
      ? {
          devices: readAs(room, "usage-frame.json", z.array(frameDevice)),
          positions: readAs(room, "usage-positions.json", z.array(usagePosition)),
        }
      : undefined,
    scales: room.contents.has("scales.json") ? readAs(room, "scales.json", z.array(scale)) : [],
    stoveUse: room.contents.has("stove-use.json") ? readAs(room, "stove-use.json", stoveUse) : undefined,
    parameters: readAs(room, "parameters.json", z.array(parameter)),
    members: readAs(room, "households.json", z.array(member)),
    siblings: readAs(room, "siblings.json", z.array(sibling)),
  };
}

function readAs<T>(room: OpenedRoom, path: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(textOf(room, path));
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${path} is not JSON.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnavailableError(`${path} is not what it should be: ${issue?.path.join(".")}: ${issue?.message}`);
}

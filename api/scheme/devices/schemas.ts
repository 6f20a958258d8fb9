import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../platform/http/index.ts";
import { linkedEvidence } from "../../platform/values/linked-evidence.ts";
import { calendarDate, did, identifier } from "../../platform/values/text.ts";

const serial = identifier(64).openapi({ example: "STOVE-000123" });
const retiredOn = calendarDate.openapi({ description: "First day on which the device no longer counts." });

const evidence = linkedEvidence.openapi("DeviceEvidence", {
  description: "A photo by its URI; POST /v1/photos stores one. Nothing is fetched.",
});

export const newDevice = z
  .strictObject({
    serial: serial.openapi({
      description:
        "A serial is registered once, also in another spelling: letter case, spaces, dots, underscores, slashes and hyphens do not make another one.",
    }),
    model: identifier(128),
    planId: identifier(128).openapi({ description: "Monitoring plan in whose result the device counts." }),
    householdDid: did,
    installedOn: calendarDate,
    retiredOn: retiredOn.optional(),
    evidence: z.array(evidence).max(8).optional().openapi({ description: "Photos of the installation." }),
  })
  .openapi("NewDevice");
export type NewDevice = z.infer<typeof newDevice>;

export const deviceChange = z.strictObject({ retiredOn }).openapi("DeviceChange");
export type DeviceChange = z.infer<typeof deviceChange>;

export const device = z
  .object({
    serial,
    model: z.string(),
    planId: z.string(),
    householdDid: did.nullable(),
    installedOn: calendarDate,
    retiredOn: calendarDate.nullable(),
    retirementRecordedAt: z.iso.datetime().nullable().openapi({
      description:
        "Time of the latest block when the retirement was recorded. One that was recorded after a campaign's draw does not let another device of the household count in it.",
    }),
    evidence: z.array(evidence),
    createdAt: z.iso.datetime().openapi({ description: "Time of the latest block when the device was registered." }),
  })
  .openapi("Device");
export type DeviceResponse = z.infer<typeof device>;

export const devicePage = page(device).openapi("DevicePage");
export const deviceQuery = listQuery.extend({
  planId: identifier(128).openapi({ description: "Devices of this plan." }),
  householdDid: did.optional().openapi({ description: "Only the devices of this household." }),
});
export const deviceParams = z.object({ serial: serial.openapi({ param: { name: "serial", in: "path" } }) });

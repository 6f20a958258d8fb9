import { exact } from "../../../wire/src/exact.ts";
import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { post, type RecordKind } from "./act.ts";

type Conversion = Schemas["Conversion"];

const settlers = ["admin", "implementer", "regulator"] as const;

/** Conversions to ITMOs: the regulator confirms one with the registry's serials, or reverts it. */
export const conversions: RecordKind<Conversion> = {
  states: "conversion",
  read: (conversionId, signal) => hearth.get("/v1/itmo/conversions/{conversionId}", { path: { conversionId }, signal }),
  stateOf: ({ status }) => status,
  facts: ({ amount, quantity }) => ({ amount, tonnes: quantity }),
  notes: ({ reclaimableFrom }) =>
    reclaimableFrom === null ? [] : [{ name: "implementerReclaims", at: reclaimableFrom }],
  acts: [
    {
      name: "finaliseConversion",
      roles: ["admin", "regulator"],
      isPossible: ({ status }) => status === "requested",
      fields: ["registry", "first", "last"],
      isGrave: true,
      route: post("/v1/itmo/conversions/{conversionId}/finalise", (conversionId, { registry, first, last }) => ({
        path: { conversionId },
        body: { itmoRegistryId: registry, firstId: exact(first), lastId: exact(last) },
      })),
    },
    {
      name: "revertConversion",
      roles: ["admin", "regulator"],
      isPossible: ({ status }) => status === "requested",
      fields: ["reason"],
      isGrave: true,
      route: post("/v1/itmo/conversions/{conversionId}/revert", (conversionId, { reason }) => ({
        path: { conversionId },
        body: { reason },
      })),
    },
    {
      name: "releaseBuffer",
      roles: settlers,
      isPossible: ({ buffer }) => buffer?.status === "releasable" && buffer.dueToCancel === 0,
      fields: [],
      route: post("/v1/itmo/conversions/{conversionId}/buffer/release", (conversionId) => ({ path: { conversionId } })),
    },
    {
      name: "cancelBuffer",
      roles: settlers,
      isPossible: ({ buffer }) => buffer !== null && buffer.dueToCancel > 0,
      fields: [],
      isGrave: true,
      route: post("/v1/itmo/conversions/{conversionId}/buffer/cancellation", (conversionId) => ({
        path: { conversionId },
      })),
    },
  ],
};

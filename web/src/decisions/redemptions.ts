import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { serverNow } from "../api/server-time.ts";
import { post, type RecordKind } from "./act.ts";

type Redemption = Schemas["Redemption"];

const everyone = ["admin", "implementer", "supplier", "evaluator", "regulator"] as const;

/** Redemptions: an evaluator flags one before its claim, its supplier gives it back, and after its deadline it can lapse. */
export const redemptions: RecordKind<Redemption> = {
  states: "redemption",
  read: (redemptionId, signal) => hearth.get("/v1/redemptions/{redemptionId}", { path: { redemptionId }, signal }),
  stateOf: ({ status }) => status,
  facts: ({ amount }) => ({ amount }),
  notes: ({ flagged }) => (flagged ? [{ name: "isFlagged" }] : []),
  acts: [
    {
      name: "flagRedemption",
      roles: ["admin", "evaluator"],
      isPossible: ({ status, flagged }) => status === "pending_delivery" && !flagged,
      fields: ["reason"],
      isGrave: true,
      route: post("/v1/redemptions/{redemptionId}/flag", (redemptionId, { reason }) => ({
        path: { redemptionId },
        body: { reason },
      })),
    },
    {
      name: "reverseRedemption",
      roles: ["admin", "supplier"],
      isPossible: ({ status }) => status === "pending_delivery",
      isOwn: ({ supplierDid }, holder) => holder.role === "admin" || holder.supplierDid === supplierDid,
      fields: ["reason"],
      isGrave: true,
      route: post("/v1/redemptions/{redemptionId}/reverse", (redemptionId, { reason }) => ({
        path: { redemptionId },
        body: { reason },
      })),
    },
    {
      name: "lapseRedemption",
      roles: everyone,
      isPossible: ({ status, claimDeadline }) =>
        ["pending_delivery", "rejected"].includes(status) && Date.parse(claimDeadline) < serverNow(),
      fields: [],
      isGrave: true,
      route: post("/v1/redemptions/{redemptionId}/lapse", (redemptionId) => ({ path: { redemptionId } })),
    },
  ],
};

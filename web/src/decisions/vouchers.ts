import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { type Act, post, type RecordKind } from "./act.ts";

type Voucher = Schemas["Voucher"];

const supervisors = ["admin", "regulator", "evaluator"] as const;
const issuers = ["admin", "implementer"] as const;
const everyone = ["admin", "implementer", "supplier", "evaluator", "regulator"] as const;
const hasRest = ({ remainingBalance }: Voucher) => Number(remainingBalance) > 0;

const withReason: Pick<Act<Voucher>, "fields"> = { fields: ["reason"] };

/** Vouchers: regulator and evaluator suspend them; their implementer cancels and reissues them. */
export const vouchers: RecordKind<Voucher> = {
  states: "voucher",
  read: (voucherId, signal) => hearth.get("/v1/vouchers/{voucherId}", { path: { voucherId }, signal }),
  stateOf: ({ status }) => status,
  facts: ({ remainingBalance }) => ({ amount: remainingBalance }),
  acts: [
    {
      ...withReason,
      name: "suspendVoucher",
      roles: supervisors,
      isPossible: ({ status }) => status === "active",
      isGrave: true,
      route: post("/v1/vouchers/{voucherId}/suspend", (voucherId, { reason }) => ({
        path: { voucherId },
        body: { reason },
      })),
    },
    {
      ...withReason,
      name: "reactivateVoucher",
      roles: supervisors,
      isPossible: ({ status }) => status === "suspended",
      route: post("/v1/vouchers/{voucherId}/reactivate", (voucherId, { reason }) => ({
        path: { voucherId },
        body: { reason },
      })),
    },
    {
      ...withReason,
      name: "cancelVoucher",
      roles: issuers,
      isPossible: (voucher) => ["active", "suspended"].includes(voucher.status) && hasRest(voucher),
      isGrave: true,
      route: post("/v1/vouchers/{voucherId}/cancel", (voucherId, { reason }) => ({
        path: { voucherId },
        body: { reason },
      })),
    },
    {
      name: "reissueVoucher",
      roles: issuers,
      isPossible: (voucher) => voucher.status === "cancelled" && hasRest(voucher),
      fields: [],
      route: post("/v1/vouchers/{voucherId}/reissue", (voucherId) => ({ path: { voucherId }, body: {} })),
    },
    {
      name: "sweepVoucher",
      roles: everyone,
      isPossible: (voucher) => voucher.status === "expired" && hasRest(voucher),
      fields: [],
      isGrave: true,
      route: post("/v1/vouchers/{voucherId}/sweep", (voucherId) => ({ path: { voucherId } })),
    },
  ],
};

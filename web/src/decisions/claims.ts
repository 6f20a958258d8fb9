import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { type Act, post, type RecordKind } from "./act.ts";

type Claim = Schemas["DeliveryClaim"];
type KptClaim = Schemas["KPTClaim"];

const reviewers = ["admin", "evaluator"] as const;
const review: Pick<Act<Claim>, "roles" | "fields" | "longest"> = {
  roles: reviewers,
  fields: ["reason"],
  longest: 1000,
};

/** Delivery claims: an evaluator pays or rejects held ones, disputes paid ones, and decides disputes. */
export const claims: RecordKind<Claim> = {
  states: "claim",
  read: async (id, signal) => {
    const claim = await hearth.get("/v1/claims/{id}", { path: { id }, signal });
    if (claim.type !== "DeliveryClaim") throw new TypeError(`${id} is not a delivery claim.`);
    return claim;
  },
  stateOf: ({ status }) => status,
  facts: ({ carbonAmount }) => ({ amount: carbonAmount }),
  notes: ({ status }) => (status === "invalidated" ? [{ name: "councilWaives", to: "/admin/council" }] : []),
  acts: [
    {
      ...review,
      name: "approveClaim",
      isPossible: ({ status }) => status === "flagged",
      route: post("/v1/claims/{id}/approve", (id, { reason }) => ({ path: { id }, body: { reason } })),
    },
    {
      ...review,
      name: "rejectClaim",
      isPossible: ({ status }) => status === "flagged",
      isGrave: true,
      route: post("/v1/claims/{id}/reject", (id, { reason }) => ({ path: { id }, body: { reason } })),
    },
    {
      ...review,
      name: "disputeClaim",
      isPossible: ({ status }) => status === "approved",
      isGrave: true,
      route: post("/v1/claims/{id}/dispute", (id, { reason }) => ({ path: { id }, body: { reason } })),
    },
    {
      ...review,
      name: "upholdDispute",
      isPossible: ({ status }) => status === "disputed",
      isGrave: true,
      route: post("/v1/claims/{id}/resolve", (id, { reason }) => ({ path: { id }, body: { reason, upheld: true } })),
    },
    {
      ...review,
      name: "dismissDispute",
      isPossible: ({ status }) => status === "disputed",
      route: post("/v1/claims/{id}/resolve", (id, { reason }) => ({ path: { id }, body: { reason, upheld: false } })),
    },
  ],
};

/** Measurements of a campaign. */
export const kptClaims: RecordKind<KptClaim> = {
  states: "kptClaim",
  read: async (id, signal) => {
    const claim = await hearth.get("/v1/claims/{id}", { path: { id }, signal });
    if (claim.type !== "KPTClaim") throw new TypeError(`${id} is not a measurement.`);
    return claim;
  },
  stateOf: ({ status }) => status,
  facts: () => ({}),
  acts: [
    {
      name: "revokeKptClaim",
      roles: ["admin", "evaluator", "regulator"],
      isPossible: ({ status }) => status === "verified",
      fields: ["code"],
      isGrave: true,
      route: post("/v1/claims/{id}/revoke", (id, { code }) => ({ path: { id }, body: { reason: code } })),
    },
  ],
};

import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { patch, post, type RecordKind } from "./act.ts";

type Supplier = Schemas["Supplier"];
type Implementer = Schemas["Implementer"];

const regulators = ["admin", "regulator"] as const;
const reviewers = ["admin", "evaluator"] as const;
const setSupplier = (status: Supplier["status"]) =>
  patch("/v1/suppliers/{did}", (did, { reason }) => ({ path: { did }, body: { status, reason } }));
const setFlag = (action: "flag" | "unflag") =>
  post("/v1/suppliers/{did}/{action}", (did, { reason }) => ({ path: { did, action }, body: { reason } }));
const setImplementer = (status: Implementer["status"]) =>
  patch("/v1/implementers/{did}", (did, { reason }) => ({ path: { did }, body: { status, reason } }));

/** Suppliers: the regulator suspends and authorises them; an evaluator has all their claims held for review. */
export const suppliers: RecordKind<Supplier> = {
  states: "participant",
  read: (did, signal) => hearth.get("/v1/suppliers/{did}", { path: { did }, signal }),
  stateOf: ({ status }) => status,
  facts: () => ({}),
  notes: ({ flagged }) => (flagged ? [{ name: "supplierIsFlagged" }] : []),
  acts: [
    {
      name: "suspendSupplier",
      roles: regulators,
      isPossible: ({ status }) => status === "authorised",
      fields: ["reason"],
      isGrave: true,
      route: setSupplier("suspended"),
    },
    {
      name: "authoriseSupplier",
      roles: regulators,
      isPossible: ({ status }) => status === "suspended",
      fields: ["reason"],
      route: setSupplier("authorised"),
    },
    {
      name: "flagSupplier",
      roles: reviewers,
      isPossible: ({ flagged }) => !flagged,
      fields: ["reason"],
      isGrave: true,
      route: setFlag("flag"),
    },
    {
      name: "unflagSupplier",
      roles: reviewers,
      isPossible: ({ flagged }) => flagged,
      fields: ["reason"],
      route: setFlag("unflag"),
    },
  ],
};

/** Implementers: the regulator suspends and authorises them. */
export const implementers: RecordKind<Implementer> = {
  states: "participant",
  read: (did, signal) => hearth.get("/v1/implementers/{did}", { path: { did }, signal }),
  stateOf: ({ status }) => status,
  facts: () => ({}),
  acts: [
    {
      name: "suspendImplementer",
      roles: regulators,
      isPossible: ({ status }) => status === "registered",
      fields: ["reason"],
      isGrave: true,
      route: setImplementer("suspended"),
    },
    {
      name: "authoriseImplementer",
      roles: regulators,
      isPossible: ({ status }) => status === "suspended",
      fields: ["reason"],
      route: setImplementer("registered"),
    },
  ],
};

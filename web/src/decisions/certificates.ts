import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { type Act, patch, type RecordKind } from "./act.ts";

type Certificate = Schemas["Certificate"];

const regulators: Pick<Act<Certificate>, "roles" | "fields"> = { roles: ["admin", "regulator"], fields: ["reason"] };
const to = (status: "suspended" | "valid" | "revoked") =>
  patch("/v1/certificates/{certificateId}", (certificateId, { reason }) => ({
    path: { certificateId },
    body: { status, reason },
  }));

/** Certificates: the regulator suspends, reinstates and revokes them. Only the guardian's account vetoes a revocation. */
export const certificates: RecordKind<Certificate> = {
  states: "certificate",
  read: (certificateId, signal) => hearth.get("/v1/certificates/{certificateId}", { path: { certificateId }, signal }),
  stateOf: ({ status }) => status,
  facts: () => ({}),
  notes: ({ revocationFinalAt }) =>
    revocationFinalAt === null ? [] : [{ name: "guardianVetoes", at: revocationFinalAt }],
  acts: [
    {
      ...regulators,
      name: "suspendCertificate",
      isPossible: ({ status }) => status === "valid",
      isGrave: true,
      route: to("suspended"),
    },
    {
      ...regulators,
      name: "reinstateCertificate",
      isPossible: ({ status }) => status === "suspended",
      route: to("valid"),
    },
    {
      ...regulators,
      name: "revokeCertificate",
      isPossible: ({ status }) => status !== "revoked",
      isGrave: true,
      route: to("revoked"),
    },
  ],
};

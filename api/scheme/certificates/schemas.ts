import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../platform/http/index.ts";
import { startedOperation } from "../../platform/operations/index.ts";
import { amountInResponse, integer, positiveCarbonAmount, serialNumber } from "../../platform/values/numbers.ts";
import { did, identifier, timestamp } from "../../platform/values/text.ts";
import { period, reason } from "../registry/index.ts";

const certificateId = identifier(128).openapi({ example: "CERT-456" });

export const allocation = z.strictObject({ householdDid: did, amount: positiveCarbonAmount }).openapi("Allocation");
export type Allocation = z.infer<typeof allocation>;

const MAX_ALLOCATIONS = 250_000;

export const newAllocations = z
  .strictObject({ allocations: z.array(allocation).min(1).max(MAX_ALLOCATIONS) })
  .openapi("NewAllocations");
export type NewAllocations = z.infer<typeof newAllocations>;

export const newCertificate = z
  .strictObject({
    certificateId,
    implementerDid: did,
    activityId: identifier(128),
    vintage: integer(1990, 9999).openapi({ description: "Calendar year of the reduction." }),
    verifiedReduction: positiveCarbonAmount.openapi({ description: "kg CO2e, which is CARBON." }),
    period,
    underlyingUnits: z.strictObject({
      registry: identifier(128),
      firstSerial: serialNumber,
      lastSerial: serialNumber,
    }),
    planId: identifier(128).optional().openapi({
      description: "Absent: the implementer's only monitoring plan, else the scheme's default plan.",
    }),
    allocations: z
      .array(allocation)
      .min(1)
      .max(MAX_ALLOCATIONS)
      .optional()
      .openapi({ description: "Absent, and no allocationCount: the certificate serves one household." }),
    allocationCount: integer(1, MAX_ALLOCATIONS).optional().openapi({
      description: "How many allocations its implementer will bring; the certificate is pending until then.",
    }),
    verifiableCredential: z.looseObject({}).openapi({
      description: '{type:"EmissionReductionCredential", proof:"<compact VC-JWT>"} or the W3C object form.',
    }),
  })
  .openapi("NewCertificate");
export type NewCertificate = z.infer<typeof newCertificate>;

export const certificateChange = z
  .strictObject({ status: z.enum(["suspended", "valid", "revoked"]), reason })
  .openapi("CertificateChange");
export type CertificateChange = z.infer<typeof certificateChange>;

export const certificate = z
  .object({
    certificateId,
    status: z.enum(["pending", "valid", "suspended", "revoked"]),
    revocationFinalAt: timestamp.nullable().openapi({
      description:
        "Until then the guardian may veto the revocation; null unless the certificate is revoked, and once that is final.",
    }),
    implementerDid: did.nullable(),
    planId: z.string(),
    activityId: z.string(),
    vintage: z.number().int(),
    period,
    verifiedReduction: amountInResponse,
    issued: amountInResponse.openapi({ description: "CARBON issued as vouchers, net of what cancellations returned." }),
    remaining: amountInResponse.openapi({ description: "CARBON that can still be issued." }),
    underlyingUnits: z.object({ registry: z.string(), firstSerial: z.string(), lastSerial: z.string() }),
    unitsCoverReduction: z.boolean().nullable().openapi({
      description:
        "Whether the serials are a unit for each whole tonne of the reduction; null where the registry is not on record, so that nobody knows what a unit stands for.",
    }),
    allocation: z
      .object({
        count: z.number().int(),
        recorded: z.number().int().openapi({ description: "Less than count while the certificate is pending." }),
        root: z.string().openapi({ description: "Merkle root over the allocation's chunks; see ICertificates.sol." }),
      })
      .nullable()
      .openapi({ description: "Null for a certificate that serves one household." }),
    credential: z.object({ hash: z.string(), issuer: z.string().nullable(), issuedAt: timestamp }),
    burnOperation: startedOperation.nullable().openapi({
      description:
        "What burns the rest of a revoked certificate's vouchers once the revocation is final, cancelled when that was vetoed; " +
        "null for a certificate that was never revoked.",
    }),
    index: z.number().int().openapi({ description: "The certificate's number on chain, from 1." }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Certificate");
export type Certificate = z.infer<typeof certificate>;

export const certificatePage = page(certificate).openapi("CertificatePage");
export const certificateQuery = listQuery.extend({ implementerDid: did.optional() });
export const certificateParams = z.object({
  certificateId: certificateId.openapi({ param: { name: "certificateId", in: "path" } }),
});

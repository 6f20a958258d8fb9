import type { CorsiaReport, ExceptionsReport, NdcAccountingReport } from "../../wire/src/reports.ts";
import { writeRecords } from "./csv-records.ts";

const certificateColumns = [
  "certificateId",
  "status",
  "reason",
  "since",
  "revocationFinalAt",
  "implementerDid",
  "vintage",
  "verified",
  "issued",
  "unspent",
  "openRedemptions",
  "released",
  "burned",
  "inConversions",
  "converted",
  "bufferCancelled",
] as const;
const blockColumns = [
  "id",
  "uniqueId",
  "status",
  "firstTransferred",
  "carbon",
  "party",
  "authorizationId",
  "authorizationStatus",
] as const;

/** A row for each ITMO block of each certificate; a certificate without one has a row too. */
export function exceptionsCsv(certificates: ExceptionsReport<bigint | object>["certificates"]): string {
  const header = [...certificateColumns, ...blockColumns.map((name) => `block_${name}`)];
  const records = certificates.flatMap((certificate) => {
    const own = certificateColumns.map((name) => (name === "issued" ? certificate.issued.byEvents : certificate[name]));
    const none = blockColumns.map(() => null);
    if (certificate.blocks.length === 0) return [[...own, ...none]];
    return certificate.blocks.map((block) => [...own, ...blockColumns.map((name) => block[name])]);
  });
  return writeRecords([header, ...records]);
}

const yearColumns = [
  "year",
  "firstTransferred",
  "used",
  "cumulative",
  "adjustment",
  "indicative",
  "emissions",
  "adjustedEmissions",
  "level",
  "aboveLevel",
] as const;

/** A row for each year of the NDC period. */
export function ndcAccountingCsv({ party, method, years }: NdcAccountingReport<bigint | object>): string {
  const records = years.map((year) => [party, method, ...yearColumns.map((name) => year[name])]);
  return writeRecords([["party", "method", ...yearColumns], ...records]);
}

const unitColumns = ["certificateId", "registry", "vintage", "authorizationId", "purpose", "status", "carbon"] as const;

/** A row for each phase of each certificate's units. */
export function corsiaCsv({ party, units }: CorsiaReport<bigint | object>): string {
  const records = units.flatMap((unit) =>
    unit.labels.map(({ phase, eligible, missing, record }) => [
      party,
      ...unitColumns.map((name) => unit[name]),
      phase,
      eligible,
      missing.join(" "),
      record?.parameterId,
      record?.source,
    ]),
  );
  return writeRecords([["party", ...unitColumns, "phase", "eligible", "missing", "parameterId", "source"], ...records]);
}

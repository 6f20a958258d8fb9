import { stringify } from "csv-stringify/sync";
import type { CorsiaReport, ExceptionsReport, NdcAccountingReport } from "../../wire/src/reports.ts";
import { withoutFormula } from "./aef/formula.ts";

type Value = string | number | bigint | boolean | object | null | undefined;

/** Write records as CSV (RFC 4180) below a header. Empty where there is no value. */
function write(header: readonly string[], records: readonly (readonly Value[])[]): string {
  const cells = records.map((record) => record.map(cellOf));
  return stringify([[...header], ...cells], { record_delimiter: "windows" });
}

/** Exact amounts are LosslessNumber or bigint, which have their digits as text. Only other text could be a formula. */
function cellOf(value: Value): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? String(withoutFormula(value)) : String(value);
}

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
  return write(header, records);
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
  return write(["party", "method", ...yearColumns], records);
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
  return write(["party", ...unitColumns, "phase", "eligible", "missing", "parameterId", "source"], records);
}

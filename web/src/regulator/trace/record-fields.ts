import type traced from "../../i18n/en/traced.json";

export type FieldName = keyof typeof traced.field;
export type Word = keyof typeof traced.word;

/**
 * How a value is shown. `parts`: a record, or a list of records, that is shown with its own fields. `paid`: an amount in the asset that
 * its record names. `relation`: a word of the actions on ITMOs.
 */
export type FieldKind =
  | "carbon"
  | "code"
  | "consent"
  | "count"
  | "day"
  | "kg"
  | "moment"
  | "paid"
  | "parts"
  | "plain"
  | "relation"
  | "stablecoin"
  | "status"
  | "terms"
  | "tonnes"
  | "word"
  | "yesNo";

const kinds: Partial<Record<FieldName, FieldKind>> = {
  ...of("carbon", ["value", "remainingBalance", "carbonAmount", "issued", "setOff", "stake", "offset"]),
  ...of("code", [
    "account",
    "activityId",
    "authorizationId",
    "batchId",
    "campaignId",
    "certificateId",
    "certificationTransactionHash",
    "challenger",
    "claimHash",
    "claimId",
    "commitment",
    "conversionId",
    "credentialHash",
    "drawBlockHash",
    "endTransactionHash",
    "fallbackReason",
    "from",
    "householdHash",
    "id",
    "implementerDid",
    "kptClaimId",
    "operator",
    "planId",
    "productId",
    "redemptionId",
    "refundTransactionHash",
    "replacedBy",
    "replaces",
    "resolutionTransactionHash",
    "resultHash",
    "revealTransactionHash",
    "root",
    "secondParty",
    "secret",
    "seed",
    "splitFrom",
    "supplierDid",
    "swapId",
    "to",
    "transactionHash",
    "uniqueId",
    "voucherId",
    "withheldTransactionHash",
  ]),
  ...of("count", [
    "blockNumber",
    "claims",
    "drawBlock",
    "drawnTo",
    "dropped",
    "frameSize",
    "logIndex",
    "number",
    "position",
    "postponements",
    "replacement",
    "round",
    "sampleSize",
    "termsVersion",
  ]),
  ...of("day", ["startDate", "endDate", "issuanceDate", "expiryDate"]),
  ...of("moment", ["claimDeadline", "closedAt", "drawnAt", "endedAt", "openedAt", "revokedAt", "timestamp"]),
  ...of("relation", ["action", "firstTransfer", "subtype"]),
  ...of("stablecoin", ["stablecoinAmount", "price", "fee"]),
  ...of("word", ["asset", "kind", "reason", "refundedTo", "side", "testGroup"]),
  ...of("yesNo", ["householdAuthorised", "twoParties", "upheld"]),
  consent: "consent",
  status: "status",
  verifiedReduction: "kg",
  quantity: "tonnes",
  amount: "paid",
  terms: "terms",
};

function of<Name extends FieldName>(kind: FieldKind, names: readonly Name[]): Partial<Record<FieldName, FieldKind>> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/** How a field of a record is shown; a record in it is shown with its own fields. */
export function kindOf(name: string, value: unknown): FieldKind {
  if (typeof value === "object" && value !== null) return "parts";
  return Object.hasOwn(kinds, name) ? (kinds[name as FieldName] ?? "plain") : "plain";
}

/** A line of a record's table: a heading of the following lines, or a field. */
export type RecordLine =
  | { key: string; depth: number; heading: string; number?: number }
  | { key: string; depth: number; field: string; value: string | number | boolean; of: Record<string, unknown> };

/** Lay out a record as lines. What is not set is left out; parts come after the fields of their record. */
export function linesOf(record: Record<string, unknown>, path = "", depth = 0): RecordLine[] {
  const given = Object.entries(record).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const fields = given.flatMap(([name, value]): RecordLine[] =>
    typeof value === "object"
      ? []
      : [{ key: `${path}${name}`, depth, field: name, value: value as string | number | boolean, of: record }],
  );
  const parts = given.flatMap(([name, value]): RecordLine[] => {
    if (typeof value !== "object") return [];
    const list = Array.isArray(value) ? value : [value];
    return list.flatMap((each, index): RecordLine[] => {
      const key = `${path}${name}.${index}`;
      if (typeof each !== "object" || each === null) return [{ key, depth, field: name, value: each, of: record }];
      const lines = linesOf(each as Record<string, unknown>, `${key}.`, depth + 1);
      if (lines.length === 0) return [];
      const number = list.length > 1 ? { number: index + 1 } : {};
      return [{ key, depth, heading: name, ...number }, ...lines];
    });
  });
  return [...fields, ...parts];
}

import type { Decimal } from "../../api/numbers.ts";

/** What GET /v1/campaigns/:id/result answers, as far as the page reads it. Numbers are decimal text, or small whole ones. */
export type Line = { name: string; value: Decimal; unit: string; source: string };
export type Reduction = {
  method: string;
  version: string;
  title: string;
  be: Decimal | null;
  ae: Decimal | null;
  le: Decimal | null;
  er: Decimal | null;
  assumptions: { parameter: string; value: string; message: string }[];
  broken: { rule: string; message: string }[];
  lines: Line[];
};
export type Group = {
  n: number;
  mean: Decimal | null;
  standardDeviation: Decimal | null;
  coefficientOfVariation: Decimal | null;
  lowerBound: Decimal | null;
  upperBound: Decimal | null;
  precision: Decimal | null;
  meets9010: boolean;
  outliers: { position: number; value: Decimal | null; side: "low" | "high" }[];
};
export type GroupName = "reference" | "intervention";
export const groupNames = ["reference", "intervention"] as const;
export type Result = {
  campaignId: string;
  status: "committed" | "drawn" | "closed";
  groups: Record<GroupName, Group>;
  saving: { mean: Decimal | null; share: Decimal | null; lowerBound: Decimal | null; upperBound: Decimal | null };
  emissions: { reductions: Reduction[] };
  closing: { resultHash: string; transactionHash: string | null; certificateId: string | null } | null;
};

import type { Decimal } from "../../api/numbers.ts";

/** CARBON on its way into ITMOs, as the API tells it. */
export type Conversion = {
  conversionId: string;
  status: "requested" | "finalised" | "reverted";
  amount: Decimal;
  quantity: number;
  authorizationId: string;
  vintage: number;
  requestedAt: string;
  reclaimableFrom: string | null;
  uniqueId: string | null;
  reason: string | null;
};

import { z } from "zod";
import { parseExact } from "../../../../wire/src/exact.ts";
import type { TraceEvent, TraceReport } from "../../../../wire/src/reports.ts";
import { type Facade, pathSegment } from "../host/facade.ts";
import { defineOracleTool, type OracleTool } from "../host/tool.ts";

/** Most events that a result lists. */
const mostEvents = 5;

export type WhereIs = {
  id: string;
  type: TraceReport["type"];
  /** Its state; null for what has none. */
  status: string | null;
  certificate: { id: string; status: string; verified: string; issued: string } | null;
  /** The voucher itself, when the id is a voucher's. */
  voucher: { id: string; status: string; value: string; remaining: string; expiryDate: string } | null;
  /** Number of records around it. */
  around: {
    vouchers: number;
    redemptions: number;
    claims: number;
    payments: number;
    swaps: number;
    conversions: number;
    itmoBlocks: number;
  };
  /** Whether there is more than was counted. */
  isPartial: boolean;
  /** The last events. */
  last: { event: string; timestamp: string; transactionHash: string }[];
};

/** The trace of an id in brief. */
export function whereIsTool(facade: Facade): OracleTool {
  return defineOracleTool({
    name: "where_is",
    description:
      "What an id is, its state, and how far it has come: certificate, vouchers, redemptions, claims, payments, ITMOs. `trace` has every step.",
    inputSchema: z.strictObject({ id: z.string().min(1).max(256) }),
    destructive: false,
    readOnly: true,
    run: async ({ ctx, input }) => {
      const { text } = await facade.call(ctx, { method: "GET", path: `/reports/trace/${pathSegment("id", input.id)}` });
      return briefOf(parseExact(text) as TraceReport);
    },
  });
}

function briefOf(trace: TraceReport): WhereIs {
  const { id, type, certificates, vouchers, swaps, conversions, itmoBlocks, history } = trace;
  const redemptions = vouchers.flatMap((voucher) => voucher.redemptions);
  const claims = redemptions.flatMap(({ claim }) => claim ?? []);
  const [certificate] = certificates;
  const voucher = vouchers.find((each) => each.voucherId === id);
  const subject =
    voucher ??
    certificates.find((each) => each.certificateId === id) ??
    redemptions.find((each) => each.redemptionId === id) ??
    [...claims, ...conversions, ...itmoBlocks].find((each) => each.id === id);
  return {
    id,
    type,
    status: subject?.status === undefined ? null : String(subject.status),
    certificate:
      certificate === undefined || certificates.length > 1
        ? null
        : {
            id: certificate.certificateId,
            status: String(certificate.status),
            verified: String(certificate.verifiedReduction),
            issued: String(certificate.issued),
          },
    voucher:
      voucher === undefined
        ? null
        : {
            id,
            status: String(voucher.status),
            value: String(voucher.value),
            remaining: String(voucher.remainingBalance),
            expiryDate: String(voucher.expiryDate),
          },
    around: {
      vouchers: vouchers.length,
      redemptions: redemptions.length,
      claims: claims.length,
      payments: claims.filter(({ payment }) => payment !== null).length,
      swaps: swaps.length,
      conversions: conversions.length,
      itmoBlocks: itmoBlocks.length,
    },
    isPartial: trace.nextCursor !== null || trace.shownInPart.length > 0,
    last: lastOf(history),
  };
}

function lastOf(history: TraceEvent[]): WhereIs["last"] {
  const newest = history.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1)).slice(0, mostEvents);
  return newest.map(({ event, timestamp, transactionHash }) => ({ event, timestamp, transactionHash }));
}

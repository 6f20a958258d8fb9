import { describe, expect, it } from "vitest";
import type { TraceReport } from "../../../../wire/src/reports.ts";
import { nodeHeight, placeNodes } from "./layout.ts";
import { nodesOf } from "./report.ts";

const trace: TraceReport = {
  convention: "fifo",
  certificate: null,
  lots: [],
  carbon: { moves: [], held: [] },
  id: "ITMO-1",
  type: "itmo-block",
  campaign: null,
  kptClaims: [],
  certificates: [{ certificateId: "CERT-1", vintage: 2025, transactionHash: "0x01" }],
  vouchers: [
    {
      voucherId: "VCHR-1",
      transactionHash: "0x02",
      redemptions: [
        {
          redemptionId: "REDM-1",
          transactionHash: "0x03",
          claim: { id: "CLM-1", transactionHash: "0x04", payment: { amount: 1, transactionHash: "0x05" } },
        },
      ],
    },
  ],
  swaps: [],
  conversions: [],
  itmoBlocks: [{ id: "ITMO-1", actions: [{ action: "Use", logIndex: 1, transactionHash: "0x07" }] }],
  links: [
    {
      from: { type: "certificate", id: "CERT-1" },
      to: { type: "voucher", id: "VCHR-1" },
      relation: "issued",
      transactionHash: "0x02",
    },
    {
      from: { type: "voucher", id: "VCHR-1" },
      to: { type: "redemption", id: "REDM-1" },
      relation: "redeemed",
      transactionHash: "0x03",
    },
    {
      from: { type: "redemption", id: "REDM-1" },
      to: { type: "claim", id: "CLM-1" },
      relation: "claimed",
      transactionHash: "0x04",
    },
    {
      from: { type: "claim", id: "CLM-1" },
      to: { type: "payment", id: "CLM-1" },
      relation: "paid",
      transactionHash: "0x05",
    },
    {
      from: { type: "itmo-block", id: "ITMO-1" },
      to: { type: "action", id: "ITMO-1/1610612737" },
      relation: "Use",
      transactionHash: "0x07",
    },
  ],
  history: [],
  shownInPart: [],
  nextCursor: null,
};

describe("nodes of a trace", () => {
  it("are the ends of all links, each with its record and transactions", () => {
    const nodes = nodesOf(trace);
    expect(nodes.map(({ key }) => key)).toEqual([
      "certificate CERT-1",
      "voucher VCHR-1",
      "redemption REDM-1",
      "claim CLM-1",
      "payment CLM-1",
      "itmo-block ITMO-1",
      "action ITMO-1/1610612737",
    ]);
    for (const { key, record } of nodes) expect(record, key).toBeDefined();
    expect(nodes.map(({ transactions }) => transactions)).toEqual([
      ["0x01"],
      ["0x02"],
      ["0x03"],
      ["0x04"],
      ["0x05"],
      [],
      ["0x07"],
    ]);
    expect(nodes.filter(({ isSubject }) => isSubject).map(({ id }) => id)).toEqual(["ITMO-1"]);
    expect(nodes.find(({ type }) => type === "voucher")?.record).not.toHaveProperty("redemptions");
  });

  it("are marked when asked for by a unique id, a serial, or a transaction", () => {
    const block = { id: "ITMO-1", uniqueId: "CA0001-ZMB01-ZMB-1-40-2025", firstId: "1", lastId: "40", actions: [] };
    const marked = (id: string, type: TraceReport["type"]) =>
      nodesOf({ ...trace, itmoBlocks: [block], id, type }).flatMap((node) => (node.isSubject ? [node.id] : []));
    expect(marked(block.uniqueId, "itmo-block")).toEqual(["ITMO-1"]);
    expect(marked("ZMB01-17", "itmo-serial")).toEqual(["ITMO-1"]);
    expect(marked("ZMB01-41", "itmo-serial")).toEqual([]);
    expect(marked("CA0001-ZMB01-ZMB-30-50-2025", "itmo-serial")).toEqual(["ITMO-1"]);
    expect(marked("0x02", "transaction")).toEqual(["VCHR-1"]);
  });

  it("are only the subject when it has no links", () => {
    const alone = { ...trace, links: [], id: "CERT-1", type: "certificate" as const };
    expect(nodesOf(alone).map(({ id, isSubject }) => [id, isSubject])).toEqual([["CERT-1", true]]);
  });

  it("are placed in layers from left to right without overlap", () => {
    const places = placeNodes(nodesOf(trace), trace.links, ({ relation }) => relation);
    const x = (key: string) => places.get(key)?.x ?? Number.NaN;
    expect(x("certificate CERT-1")).toBeLessThan(x("voucher VCHR-1"));
    expect(x("voucher VCHR-1")).toBeLessThan(x("redemption REDM-1"));
    const all = [...places.values()];
    for (const a of all) {
      const over = all.filter((b) => b !== a && Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < nodeHeight);
      expect(over).toEqual([]);
    }
  });
});

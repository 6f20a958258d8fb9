import { describe, expect, it } from "vitest";
import type { TraceEndType, TraceLink } from "../../../../wire/src/reports.ts";
import { foldTrace } from "./fold.ts";
import type { TraceNode } from "./report.ts";

const link = (from: [TraceEndType, string], to: [TraceEndType, string], relation: string): TraceLink => ({
  from: { type: from[0], id: from[1] },
  to: { type: to[0], id: to[1] },
  relation,
  transactionHash: "0x1",
});
const vouchers = Array.from({ length: 50 }, (_, index) => `V${index}`);
/** A certificate with 50 vouchers; each is redeemed, claimed and paid. */
const links = vouchers.flatMap((id) => [
  link(["certificate", "C"], ["voucher", id], "issued"),
  link(["voucher", id], ["redemption", id], "redeemed"),
  link(["redemption", id], ["claim", id], "claimed"),
  link(["claim", id], ["pool", "P"], "sold"),
]);

function nodesOf(subject: string): TraceNode[] {
  const ends = new Map(links.flatMap(({ from, to }) => [from, to]).map((end) => [`${end.type} ${end.id}`, end]));
  return [...ends].map(([key, end]) => ({
    ...end,
    key,
    transactions: [],
    record: undefined,
    isSubject: key === subject,
  }));
}

describe("folding a trace", () => {
  it("shows three of many neighbours and what they lead to, and counts the others", () => {
    const { nodes, links: shown, folds } = foldTrace(nodesOf("certificate C"), links, new Set());
    expect(nodes.map(({ key }) => key).sort()).toEqual(
      [
        "certificate C",
        "pool P",
        ...["V0", "V1", "V2"].flatMap((id) => ["voucher", "redemption", "claim"].map((type) => `${type} ${id}`)),
      ].sort(),
    );
    expect(shown).toHaveLength(12);
    expect(folds).toEqual([
      { key: "after|certificate C|issued|voucher", anchor: "certificate C", side: "after", type: "voucher", count: 47 },
    ]);
  });

  it("always shows what was asked for", () => {
    const { nodes } = foldTrace(nodesOf("voucher V40"), links, new Set());
    const keys = nodes.map(({ key }) => key);
    expect(keys).toContain("voucher V40");
    expect(keys).toContain("claim V40");
    expect(keys).not.toContain("voucher V41");
  });

  it("shows everything of a fold that was opened", () => {
    const first = foldTrace(nodesOf("certificate C"), links, new Set(["after|certificate C|issued|voucher"]));
    expect(first.folds.map(({ key }) => key)).toEqual(["before|pool P|sold|claim"]);
    const all = new Set(["after|certificate C|issued|voucher", "before|pool P|sold|claim"]);
    expect(foldTrace(nodesOf("certificate C"), links, all).nodes).toHaveLength(152);
  });

  it("leaves a short trace as it is", () => {
    const few = links.slice(0, 20);
    const nodes = nodesOf("certificate C").filter(({ id }) => ["C", "P", "V0", "V1", "V2", "V3", "V4"].includes(id));
    expect(foldTrace(nodes, few, new Set())).toEqual({ nodes, links: few, folds: [] });
  });
});

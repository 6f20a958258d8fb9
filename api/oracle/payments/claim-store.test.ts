import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Address } from "viem";
import { placeDatabase } from "../../../test/support/database.ts";
import { openDatabase } from "../../platform/db/client.ts";
import { readAccountState } from "./claim-store.ts";
import { oracleClaims } from "./tables.ts";

type Row = typeof oracleClaims.$inferInsert;

describe("what a user owes", () => {
  const payer: Address = `0x${"a1".repeat(20)}`;
  const deposits = [{ payer, balance: 10_000n, withdrawing: 0n, acceptedPrice: 10n }];
  const at = new Date(0);
  let folder: string;
  let open: Awaited<ReturnType<typeof openDatabase>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-claims-"));
    await placeDatabase(folder);
    open = await openDatabase({ dataDir: folder, databaseUrl: undefined });
  });
  after(async () => {
    await open?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const claim = (id: string, change: Partial<Row>): Row => {
    const of = { id, userDid: "did:x:a", sessionId: "s", requestId: id, runId: id };
    return { ...of, amount: 3n, payer, createdAt: at, changedAt: at, ...change };
  };

  it("is added up over every open claim on a deposit, however many and from every user", async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => claim(`open-${i}`, {}));
    await open.db
      .insert(oracleClaims)
      .values([
        ...rows,
        claim("of-another", { userDid: "did:x:b", amount: 5n }),
        claim("paid-later-than-asked", { state: "paid", paidBlock: 8n, amount: 7n }),
        claim("paid", { state: "paid", paidBlock: 7n }),
        claim("not-accepted", { runId: null }),
        claim("credit-2", { payer: null }),
        claim("credit-1", { payer: null, amount: 4n }),
        claim("credit-of-another", { payer: null, userDid: "did:x:b" }),
      ]);
    const standing = await readAccountState(open.db, "did:x:a", { block: 7n, deposits });
    assert.deepEqual([...standing.promised], [[payer, 1_200n * 3n + 5n + 7n]]);
    const onCredit = [
      { id: "credit-1", amount: 4n },
      { id: "credit-2", amount: 3n },
    ];
    assert.deepEqual(standing.onCredit, onCredit);
    const poor = await readAccountState(open.db, "did:x:a", { block: 7n, deposits: [] });
    assert.deepEqual([poor.promised.size, poor.onCredit.length], [0, 2]);
  });
});

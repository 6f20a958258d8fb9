import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendInOrder, type UnsignedTransaction } from "./send-transactions.ts";
import { begin, signOut } from "./session.ts";

const from = "0x00000000000000000000000000000000000000aa";
const transaction: UnsignedTransaction = { chainId: 31337, to: "0x01", data: "0xda7a", value: "0" };
let sent: number;
let receipts: (object | null | Error)[];

beforeEach(() => {
  [sent, receipts] = [0, []];
  // A wallet (EIP-1193): its transaction is mined, pending, or the wallet does not answer.
  const request = async ({ method }: { method: string }) => {
    if (method === "eth_chainId") return "0x7a69";
    if (method === "eth_sendTransaction") return `0xhash${++sent}`;
    const next = receipts.shift() ?? null;
    if (next instanceof Error) throw next;
    return next;
  };
  vi.stubGlobal("ethereum", { request });
  begin({ wallet: { address: from, id: "ethereum", name: "Ethereum" } }, false);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await signOut();
});
const mined = (status = "0x1") => ({ transactionHash: "0x1", status, logs: [] });

it("waits for a pending transaction on a second request, and sends it again only after its block", async () => {
  receipts = [new Error("The network is gone.")];
  await expect(sendInOrder([transaction])).rejects.toThrow();
  receipts = [mined()];
  expect(await sendInOrder([transaction])).toEqual([mined()]);
  expect(sent).toBe(1);
  receipts = [mined("0x0")];
  await expect(sendInOrder([transaction])).rejects.toThrow("failed on chain");
  receipts = [mined()];
  await sendInOrder([transaction]);
  expect(sent).toBe(3);
});

import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeAll, describe, expect, it } from "vitest";
import { type Network, useChat, useContractOracle, useOraclesConfig } from "../../src/index.ts";
import { order, visit, within } from "../visitor.tsx";

type Paid = { url: string; did: string; network: Network; price: string; payer: string };

describe("an oracle on chain", () => {
  let paid: Paid;
  beforeAll(async () => {
    paid = await order<Paid>("paid");
  }, 60_000);

  it("is found in the registry: its URLs and its price", async () => {
    const visitor = await visit({ network: paid.network });
    const { result } = renderHook(() => useOraclesConfig(paid.did), { wrapper: within(visitor.props) });
    expect(result.current.isReady).toBe(false);
    await waitFor(() => expect(result.current.isReady).toBe(true));
    // Where a system with these settings listens; the one of this test listens at a free port instead.
    expect(result.current.config).toMatchObject({ apiUrl: "http://localhost:3000", price: paid.price });
    expect(result.current.config.chain).toMatchObject({ ...paid.network, stablecoin: expect.stringMatching(/^0x/) });
  });

  it("is not found under an unregistered DID", async () => {
    const visitor = await visit({ network: paid.network });
    const { result } = renderHook(() => useOraclesConfig("did:key:nobody"), { wrapper: within(visitor.props) });
    await waitFor(() => expect(result.current.error?.message).toBe("No oracle is registered as did:key:nobody."));
    expect(result.current.isReady).toBe(false);
  });

  it("gives the registry's address to clients that know only its URL; overrides win", async () => {
    const visitor = await visit();
    const overrides = { baseUrl: paid.url };
    const { result } = renderHook(() => useOraclesConfig(paid.did, overrides), { wrapper: within(visitor.props) });
    expect(result.current).toMatchObject({ isReady: true, config: { apiUrl: paid.url, socketUrl: paid.url } });
    await waitFor(() => expect(result.current.config.price).toBe(paid.price));
    expect(result.current.config).toMatchObject({ apiUrl: paid.url, chain: paid.network });
    expect(result.current.config.model).toBeTruthy();
  });

  it("is contracted by a deposit that the wallet signs, and then accepts the refused message", async () => {
    const memos: unknown[] = [];
    const transactSignX = async (messages: unknown[], memo?: unknown) => {
      memos.push(memo);
      return await order("sign", { payer: paid.payer, messages });
    };
    const visitor = await visit({ network: paid.network, transactSignX });
    const overrides = { baseUrl: paid.url };
    const headers = { "x-ucan-delegation": (await visitor.props.createDelegation(paid.did)).serialized };
    const made = await fetch(`${paid.url}/sessions`, { method: "POST", headers, body: "{}" });
    const { sessionId } = (await made.json()) as { sessionId: string };
    const claims: string[][] = [];
    const onPaymentRequiredError = (claimIds: string[]) => void claims.push(claimIds);
    const both = () => ({
      chat: useChat({ oracleDid: paid.did, sessionId, overrides, onPaymentRequiredError }),
      deposit: useContractOracle({ oracleDid: paid.did, overrides }),
    });
    const { result } = renderHook(both, { wrapper: within(visitor.props) });
    await waitFor(() => expect(result.current.chat.isLoading).toBe(false));
    await act(() => result.current.chat.sendMessage("What does it cost?"));
    expect(claims).toEqual([[expect.stringMatching(/^CLM-/)]]);
    const { contractOracle } = result.current.deposit;
    const [answer, again] = await act(() => Promise.all([1, 2].map(() => contractOracle({ memo: "stoves" }))));
    expect(again).toBe(answer);
    expect(answer).toEqual({ deposit: String(BigInt(paid.price) * 100n) });
    expect(result.current.deposit).toMatchObject({ data: answer, isContractingOracle: false, error: undefined });
    expect(memos).toEqual(["stoves"]);
    await act(() => result.current.chat.sendMessage("What does it cost?"));
    expect(result.current.chat.sendMessageError).toBeUndefined();
    await waitFor(() => expect(result.current.chat.messages.map(({ type }) => type)).toEqual(["human", "ai"]));
    expect(claims).toHaveLength(1);
    const listed = await fetch(`${paid.url}/oracle/claims`, { headers });
    const { items } = (await listed.json()) as { items: { claimId: string }[] };
    expect(items.map(({ claimId }) => claimId)).toEqual(claims[0]);
  }, 60_000);
});

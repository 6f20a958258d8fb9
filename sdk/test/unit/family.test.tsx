/// <reference types="node" />
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import type * as Sdk from "../../src/index.ts";
import {
  IDLE_RUN_STATE,
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useContractOracle,
  useLiveAgent,
  useMemoryEngine,
  useModels,
  useOracleSessions,
  useOraclesConfig,
  useOraclesContext,
} from "../../src/index.ts";
import { order, type Visitor, visit, within } from "../visitor.tsx";

// The names, arguments and fields that apps written for another SDK of this family use.

/** A wallet of another chain. */
type EncodeObject = { readonly typeUrl: string; readonly value: unknown };
type TransactionFn = (
  messages: readonly EncodeObject[],
  memo?: string,
) => Promise<{ transactionHash: string } | undefined>;

type Chart = Sdk.UIComponentProps<Sdk.ToolCallEvent>;
const uiComponents = {
  ToolCall: ({ toolName, status }: Chart) => <i>{`${toolName} ${status}`}</i>,
  Error: ({ output }: { output?: string }) => <strong>{output}</strong>,
  Weather: ({ city }: { city: string }) => <b>{city}</b>,
};

function FamilyApp({ oracleDid, baseUrl }: { oracleDid: string; baseUrl: string }) {
  const { sessions, createSession, isCreatingSession } = useOracleSessions(oracleDid, { baseUrl, limit: 5 });
  const sessionId = sessions?.[0]?.sessionId;
  const { models } = useModels(oracleDid, { baseUrl });
  const { messages, sendMessage, isSending, status } = useChat({
    oracleDid,
    sessionId: sessionId || "",
    overrides: { baseUrl, wsUrl: baseUrl },
    uiComponents,
    streamingMode: "throttled",
    streamingThrottleMs: 20,
    historyPageSize: 5,
    model: models[0]?.id,
    onPaymentRequiredError: (claimIds) => void claimIds.join(),
  });
  useAgAction({
    name: "add_row",
    description: "Adds a row.",
    parameters: z.object({ row: z.string() }),
    handler: async ({ row }) => ({ success: true, row }),
    render: ({ status: step, args }) => (step === "done" && args ? <u>{args.row}</u> : null),
  });
  return (
    <main data-status={status}>
      <button type="button" disabled={isCreatingSession} onClick={() => void createSession()}>
        New Chat
      </button>
      {messages.map((message) => (
        <div key={message.id} className={message.type}>
          {renderMessageContent(message.content, uiComponents)}
        </div>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage("hello", undefined, []);
        }}
      >
        <button type="submit" disabled={isSending || !sessionId}>
          Send
        </button>
      </form>
    </main>
  );
}

describe("an app for another SDK of the family", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });

  it("runs with its import changed", async () => {
    const transactSignX: TransactionFn = async () => undefined;
    const { initialWallet, createDelegation, createInvocation } = visitor.props;
    render(
      <OraclesProvider {...{ initialWallet, transactSignX, createDelegation, createInvocation }} queryClient={{}}>
        <FamilyApp oracleDid={visitor.oracleDid} baseUrl={visitor.overrides.baseUrl} />
      </OraclesProvider>,
    );
    act(() => screen.getByText("New Chat").click());
    const send = () => screen.getByText("Send") as HTMLButtonElement;
    await waitFor(() => expect(send().disabled).toBe(false));
    act(() => send().click());
    await waitFor(() => expect(document.querySelector(".ai")?.textContent).toBe("You said: hello"));
    await waitFor(() => expect(screen.getByRole("main").dataset.status).toBe("ready"));
  });

  it("finds every type that it names", () => {
    expectTypeOf<Sdk.AnyEvent["eventName"]>().toEqualTypeOf<"tool_call" | "render_component" | "browser_tool_call">();
    expectTypeOf<Sdk.ChatStatus>().toEqualTypeOf<"submitted" | "streaming" | "ready" | "error">();
    expectTypeOf<Sdk.StreamingMode>().toEqualTypeOf<"batched" | "immediate" | "throttled">();
    expectTypeOf<Sdk.CreateDelegationFn>().toEqualTypeOf<(oracleDid: string) => Promise<Sdk.DelegationResult>>();
    expectTypeOf<Sdk.CreateInvocationFn>().toEqualTypeOf<(oracleDid: string) => Promise<Sdk.InvocationResult>>();
    expectTypeOf<Sdk.InvocationResult>().toEqualTypeOf<{ serialized: string; expiresAt: number }>();
    expectTypeOf<Sdk.IMatrixLoginProps>().toEqualTypeOf<{ accessToken: string; homeServer: string }>();
    expectTypeOf<Sdk.IWalletProps>().toMatchTypeOf<{ address: string; did: string; matrix: Sdk.IMatrixLoginProps }>();
    expectTypeOf<Sdk.MessageContent>().toEqualTypeOf<
      string | Sdk.IComponentMetadata | (string | Sdk.IComponentMetadata)[]
    >();
    expectTypeOf<Sdk.MessagesMap>().toEqualTypeOf<Record<string, Sdk.IMessage>>();
    expectTypeOf<Sdk.IChatState["run"]>().toEqualTypeOf<Sdk.ChatRunState>();
    expectTypeOf<Sdk.Attachment>().toMatchTypeOf<{ filename: string; mimetype: string }>();
    expectTypeOf<Sdk.ModelsResponse["models"]>().toEqualTypeOf<Sdk.ModelInfo[]>();
    expectTypeOf<Sdk.ModelInfo["pricing"]["currency"]>().toEqualTypeOf<"USD">();
    expectTypeOf<[Sdk.ModelFamily, Sdk.ModelTier]>().toMatchTypeOf<[string, string]>();
    expectTypeOf<Sdk.UseModelsResult["defaultModel"]>().toEqualTypeOf<Sdk.ModelInfo | undefined>();
    expectTypeOf<Sdk.IBrowserTools>().toEqualTypeOf<Record<string, Sdk.IBrowserToolParams>>();
    expectTypeOf<Sdk.IActionTools>().toEqualTypeOf<Record<string, Sdk.IActionToolParams>>();
    expectTypeOf<Sdk.ISendMessageOptions["oracleDid"]>().toEqualTypeOf<string>();
    expectTypeOf<Sdk.IOraclesContextProps["getInvocation"]>().returns.resolves.toEqualTypeOf<string | null>();
    expectTypeOf<Sdk.AgActionConfig["name"]>().toEqualTypeOf<string>();
    expect(IDLE_RUN_STATE).toEqual({ runId: null, requestId: null, reconnecting: false, resumed: 0, ended: null });
    expect(useLiveAgent).toBeTypeOf("function");
  });

  it("sends its own requests to the oracle, with and without tokens", async () => {
    const { result } = renderHook(() => useOraclesContext(), { wrapper: within(visitor.props) });
    const { authedRequest, getDelegation, getInvocation } = result.current;
    const { baseUrl } = visitor.overrides;
    const listed = await authedRequest<{ total: number }>(`${baseUrl}/sessions`, "GET", {}, visitor.oracleDid);
    expect(listed.total).toBeGreaterThan(0);
    expect(await authedRequest(`${baseUrl}/health`, "GET")).toMatchObject({ status: "ok" });
    await expect(authedRequest(`${baseUrl}/sessions`, "GET")).rejects.toMatchObject({ status: 401 });
    expect(await getDelegation(visitor.oracleDid)).toMatch(/^[\w+/=]+$/);
    expect(await getInvocation(visitor.oracleDid)).toMatch(/^[\w+/=]+$/);
  });

  it("reads an oracle's price and services, and gets a reason when there is nothing to do", async () => {
    const paid = await order<{ url: string; did: string; price: string; network: Sdk.Network }>("paid");
    const params = {
      oracleDid: paid.did,
      userClaimCollectionId: "1",
      adminAddress: "0x1",
      claimId: "CLM-1",
      agentQuota: 1,
    };
    const own = await visit({ network: paid.network });
    const both = () => ({ terms: useContractOracle({ params }), config: useOraclesConfig(paid.did) });
    const { result } = renderHook(both, { wrapper: within(own.props) });
    expect(result.current.terms).toMatchObject({
      isLoadingPricingList: true,
      pricingList: undefined,
      isContractingOracle: false,
    });
    await waitFor(() => expect(result.current.terms.isLoadingPricingList).toBe(false));
    const { terms, config } = result.current;
    expect(terms.pricingList).toMatchObject([{ amount: paid.price, denom: expect.stringMatching(/^0x/) }]);
    expect(terms.authzConfig).toMatchObject({ granteeAddress: expect.stringMatching(/^0x/), requiredPermissions: [] });
    expect(config.config.authConfig).toEqual(terms.authzConfig);
    expect(terms).toMatchObject({ isOracleInRoom: true, isInvitingOracle: false });
    await expect(terms.inviteOracle()).resolves.toBeUndefined();
    await waitFor(() => expect(result.current.terms.agentCard).toBeNull());
  }, 60_000);
});

describe("the room of a user and an oracle on the messaging network", () => {
  const members = ["@amina:hearth.test"];
  const levels = { users: { "@amina:hearth.test": 100 }, ban: 50 };
  const asked: string[] = [];
  /** A home server that knows one room. */
  const server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const path = decodeURIComponent(request.url ?? "").replace("/_matrix/client/v3/", "");
    asked.push(`${request.method} ${path}`);
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { "content-type": "application/json", "access-control-allow-origin": "*" })
        .end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer syt_1")
      return answer(401, { errcode: "M_UNKNOWN_TOKEN", error: "No." });
    if (path.startsWith("directory/room/#did-key-amina_did-key-oracle:"))
      return answer(200, { room_id: "!1:hearth.test" });
    if (path.startsWith("directory/room/")) return answer(404, { errcode: "M_NOT_FOUND", error: "No such room." });
    if (path.startsWith("rooms/!1:hearth.test/members"))
      return answer(200, { chunk: members.map((state_key) => ({ state_key })) });
    if (path === "rooms/!1:hearth.test/invite") members.push((JSON.parse(text) as { user_id: string }).user_id);
    else if (request.method === "PUT") Object.assign(levels, JSON.parse(text));
    else return answer(200, levels);
    return answer(200, {});
  });
  let homeServer = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    homeServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const engineOf = async (oracleDid: string, matrix: Sdk.IMatrixLoginProps) => {
    const { props } = await visit();
    const initialWallet = { address: "0x1", did: "did:key:amina", matrix };
    return renderHook(() => useMemoryEngine(oracleDid), { wrapper: within({ ...props, initialWallet }) }).result;
  };

  it("is found by both DIDs, accepts invitations, and lets a memory engine write state", async () => {
    const engine = await engineOf("did:key:oracle", { accessToken: "syt_1", homeServer });
    await waitFor(() => expect(engine.current.members).toEqual(["@amina:hearth.test"]));
    expect(engine.current.oracleRoomId).toBe("!1:hearth.test");
    await act(() => engine.current.inviteUser("@guest:hearth.test"));
    expect(engine.current.members).toContain("@guest:hearth.test");
    await act(() => engine.current.enableMemoryEngine("@engine:hearth.test"));
    expect(levels).toEqual({ users: { "@amina:hearth.test": 100, "@engine:hearth.test": 50 }, ban: 50 });
    expect(engine.current).toMatchObject({
      isInvitingUser: false,
      isLoadingMemoryEngine: false,
      isLoadingMembers: false,
    });
  });

  it("may not exist; then invitations fail", async () => {
    const engine = await engineOf("did:key:other", { accessToken: "syt_1", homeServer });
    await waitFor(() => expect(engine.current.oracleRoomId).toBeNull());
    await act(() =>
      expect(engine.current.inviteUser("@guest:hearth.test")).rejects.toThrow("Oracle room id not found"),
    );
  });

  it("is not looked up without a session at a home server", async () => {
    const before = asked.length;
    // Untyped apps omit missing values.
    const nowhere = { accessToken: "syt_1" } as Sdk.IMatrixLoginProps;
    for (const matrix of [{ accessToken: "", homeServer }, nowhere]) {
      const fetched = vi.spyOn(globalThis, "fetch");
      const engine = await engineOf("did:key:oracle", matrix);
      await act(() =>
        expect(engine.current.inviteUser("@guest:hearth.test")).rejects.toThrow("no session at a home server"),
      );
      expect(engine.current.oracleRoomId).toBeUndefined();
      const elsewhere = fetched.mock.calls.filter(([url]) => String(url).includes("/_matrix/"));
      expect(elsewhere).toEqual([]);
      fetched.mockRestore();
    }
    expect(asked.length).toBe(before);
  });
});

import { act, fireEvent, render, renderHook, screen, waitFor } from "@testing-library/react";
import { useEffect, useState } from "react";
import { beforeAll, describe, expect, it } from "vitest";
import { type IChatOptions, type Overrides, renderMessageContent, useChat } from "../../src/index.ts";
import { acts, openChat, type Visitor, visit, within } from "../visitor.tsx";

const show = (label: string) => ({
  calls: [{ name: "render_component", args: { componentName: "Counter", args: { label } } }],
});
/** Text, a component, text, another component, text. */
const mixed = acts(
  [{ calls: [{ name: "load_capability", args: { names: ["agui"] } }] }],
  [{ text: "Before. " }, show("one")],
  [{ text: "Between. " }, show("two")],
  [{ text: "After." }],
);

function Counter({ label }: { label: string }) {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {label} {count}
    </button>
  );
}

function ToolCall({ toolName }: { toolName: string }) {
  return <i>{toolName}</i>;
}

function Failure({ output }: { output?: string }) {
  return <strong>{output}</strong>;
}

const uiComponents = { Counter, ToolCall };

type PageProps = {
  visitor: Visitor;
  sessionId: string;
  more?: Partial<IChatOptions>;
  chat: { say?: Say; ids: Set<string> };
};
type Say = (message: string) => Promise<void>;

function Page({ visitor: { oracleDid, overrides }, sessionId, more, chat }: PageProps) {
  const { messages, sendMessage } = useChat({
    oracleDid,
    sessionId,
    overrides,
    uiComponents,
    ...more,
    onPaymentRequiredError: () => {},
  });
  useEffect(() => {
    chat.say = sendMessage;
  });
  for (const { id, type } of messages) if (type === "ai") chat.ids.add(id);
  return (
    <main data-status={messages.at(-1)?.isComplete ? "done" : "open"}>
      {messages.map(({ id, type, content }) => (
        <article key={id} className={type}>
          {renderMessageContent(content)}
        </article>
      ))}
    </main>
  );
}

describe("a thread", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });
  const main = () => screen.getByRole("main");
  const done = () => waitFor(() => expect(main().dataset.status).toBe("done"));

  it("is the same after a reload: text, calls and components in order", async () => {
    const sessionId = await visitor.session();
    const chat: PageProps["chat"] = { ids: new Set() };
    const page = <Page {...{ visitor, sessionId, chat }} />;
    const { unmount } = render(page, { wrapper: within(visitor.props) });
    await act(() => (chat.say as Say)(mixed));
    await done();
    const streamed = main().innerHTML;
    expect(main().querySelector(".ai")?.textContent).toBe("load_capabilityBefore.one 0Between.two 0After.");
    unmount();
    render(page, { wrapper: within(visitor.props) });
    await done();
    expect(main().innerHTML).toBe(streamed);
  });

  it("keeps a component's state when its answer ends, with one id from the first word on", async () => {
    const sessionId = await visitor.session();
    const chat: PageProps["chat"] = { ids: new Set() };
    render(<Page {...{ visitor, sessionId, chat }} />, { wrapper: within(visitor.props) });
    const slow = acts(
      [{ calls: [{ name: "load_capability", args: { names: ["agui"] } }] }],
      [show("taps")],
      [{ text: "1 2 3 4 5 6 7 8 9 10", delayMs: 800 }],
    );
    act(() => void (chat.say as Say)(slow));
    fireEvent.click(await screen.findByText("taps 0"));
    expect(main().dataset.status).toBe("open");
    await done();
    expect(screen.getByText("taps 1")).toBeDefined();
    expect(chat.ids.size).toBe(1);
  });

  it("delays a message until the oracle's address is known", async () => {
    const sessionId = await visitor.session();
    const options = { oracleDid: visitor.oracleDid, sessionId, onPaymentRequiredError: () => {} };
    const { result, rerender } = renderHook((overrides: Overrides) => useChat({ ...options, overrides }), {
      initialProps: { wsUrl: "http://127.0.0.1:9" } as Overrides,
      wrapper: within(visitor.props),
    });
    expect(result.current.isConfigReady).toBe(false);
    let sent: Promise<void> = Promise.resolve();
    act(() => {
      sent = result.current.sendMessage("early");
    });
    expect(result.current).toMatchObject({ status: "submitted", sendMessageError: undefined });
    rerender(visitor.overrides);
    await act(() => sent);
    expect(result.current.sendMessageError).toBeUndefined();
    await waitFor(() =>
      expect(result.current.messages.map(({ content }) => content)).toEqual(["early", "You said: early"]),
    );
  });

  it("reports that there is no session to send to", async () => {
    const { result } = openChat(visitor, "");
    await act(() => result.current.sendMessage("nowhere"));
    expect(result.current).toMatchObject({
      status: "error",
      sendMessageError: { message: "There is no session to send to." },
    });
    expect(result.current.messages).toMatchObject([{ content: "nowhere", sendError: {} }]);
  });

  it("loses neither of two messages sent together: the second ends the answer to the first", async () => {
    const sessionId = await visitor.session();
    const { result } = openChat(visitor, sessionId);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    await act(async () => {
      await Promise.all([
        result.current.sendMessage(acts([{ text: Array.from({ length: 200 }, () => "one "), delayMs: 20 }])),
        result.current.sendMessage("second"),
      ]);
    });
    await waitFor(() => expect(result.current.messages).toHaveLength(4));
    const [, first, second, last] = result.current.messages;
    expect(first).toMatchObject({ type: "ai", isComplete: false });
    expect([second?.content, last?.content]).toEqual(["second", "You said: second"]);
    expect(result.current.run).toMatchObject({ ended: "done", reconnecting: false, resumed: 0 });
  });

  it("is read one page of turns at a time, and keeps the pages that were read", async () => {
    const sessionId = await visitor.session();
    for (const message of ["1", "2", "3", "4", "5"]) await visitor.ask("POST", `/messages/${sessionId}`, { message });
    const { result } = openChat(visitor, sessionId, { historyPageSize: 2 });
    const said = () => result.current.messages.filter(({ type }) => type === "human").map(({ content }) => content);
    await waitFor(() => expect(said()).toEqual(["4", "5"]));
    expect(result.current.hasEarlier).toBe(true);
    await act(() => result.current.loadEarlier());
    expect(said()).toEqual(["2", "3", "4", "5"]);
    await act(() => result.current.sendMessage("6"));
    await waitFor(() => expect(result.current.messages).toHaveLength(10));
    expect(said()).toEqual(["2", "3", "4", "5", "6"]);
    await act(() => result.current.loadEarlier());
    expect(said()).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(result.current).toMatchObject({ hasEarlier: false, isLoadingEarlier: false });
  });

  it("shows a failed answer with the app's Error component", async () => {
    const sessionId = await visitor.session();
    const { result } = openChat(visitor, sessionId, { uiComponents: { Error: Failure } });
    await act(() => result.current.sendMessage(acts([{ status: 400, body: { error: { message: "no" } } }])));
    await waitFor(() => expect(result.current.messages.at(-1)?.content).toMatchObject({ name: "Error" }));
    const content = result.current.messages.at(-1)?.content ?? "";
    render(<div>{renderMessageContent(content, { Error: Failure })}</div>);
    expect(screen.getByText(/language model did not answer/).tagName).toBe("STRONG");
  });
});

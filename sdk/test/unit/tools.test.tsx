import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import { useEffect } from "react";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type ConfirmationRequest,
  type IBrowserTools,
  type IChatOptions,
  renderMessageContent,
  useAgAction,
  useChat,
} from "../../src/index.ts";
import { acts, openChat, type Visitor, visit, within } from "../visitor.tsx";

/** Script the model: load the plugin with the tools, call them, then answer. */
const calling = (plugin: string, ...calls: { name: string; args: unknown }[]) =>
  acts(
    [{ calls: [{ name: "load_capability", args: { names: [plugin] } }] }],
    ...calls.map((call) => [{ calls: [call] }]),
    [{ text: "Done." }],
  );

function Gauge({ label, id }: { label: string; id: string }) {
  return <b title={id}>{label}</b>;
}

type TablePageProps = {
  visitor: Visitor;
  sessionId: string;
  seen: string[];
  taken: unknown[];
  say: { now: (message: string) => Promise<void> };
};

function TablePage({ visitor: { oracleDid, overrides }, sessionId, seen, taken, say }: TablePageProps) {
  const chat = useChat({ oracleDid, sessionId, overrides, onPaymentRequiredError: () => {} });
  useAgAction({
    name: "make_table",
    description: "Makes a table.",
    parameters: z.object({ title: z.string(), rows: z.array(z.number()) }),
    handler: async ({ rows }) => {
      taken.push(rows);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { count: rows.length };
    },
    render: ({ status, args, result }) => {
      seen.push(String(status));
      if (status !== "done") return <i>{args?.title ?? "…"}</i>;
      return <b>{`${args?.title}: ${JSON.stringify(result)}`}</b>;
    },
  });
  useEffect(() => {
    say.now = chat.sendMessage;
  });
  return chat.messages.map(({ id, content }) => <div key={id}>{renderMessageContent(content)}</div>);
}

describe("the agent's calls in the page", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });

  const tools = (ran: unknown[]): IBrowserTools => ({
    read_field: {
      toolName: "read_field",
      description: "Reads a field of the form.",
      schema: z.object({ field: z.enum(["name", "region"]), times: z.number().int().default(1) }),
      fn: async (args: { field: string; times: number }) => {
        ran.push(args);
        return { [args.field]: "Amina" };
      },
    },
    fail: {
      toolName: "fail",
      description: "Fails.",
      schema: z.object({}),
      fn: async () => {
        throw new Error("The form is closed.");
      },
    },
    hang: {
      toolName: "hang",
      description: "Hangs.",
      schema: z.object({}),
      timeoutMs: 50,
      fn: () => new Promise(() => {}),
    },
  });
  const called = async (message: string, more: Partial<IChatOptions>) => {
    const sessionId = await visitor.session();
    const { result } = openChat(visitor, sessionId, more);
    await act(() => result.current.sendMessage(message));
    await waitFor(() => expect(result.current.messages[1]?.isComplete).toBe(true));
    return result.current.messages[1]?.toolCalls?.filter(({ name }) => name !== "load_capability") ?? [];
  };

  it("runs a browser tool once with parsed arguments, and answers with its result", async () => {
    const ran: unknown[] = [];
    const calls = await called(calling("portal", { name: "read_field", args: { field: "name" } }), {
      browserTools: tools(ran),
    });
    expect(ran).toEqual([{ field: "name", times: 1 }]);
    expect(calls).toMatchObject([{ name: "read_field", status: "done" }]);
    expect(calls[0]?.output).toContain('{"name":"Amina"}');
  });

  it("answers with an error when a tool throws or takes too long", async () => {
    const calls = await called(calling("portal", { name: "fail", args: {} }, { name: "hang", args: {} }), {
      browserTools: tools([]),
    });
    expect(calls.map(({ status }) => status)).toEqual(["error", "error"]);
    expect(calls[0]?.output).toContain("The form is closed.");
    expect(calls[1]?.output).toContain('"hang" did not answer within 50 ms.');
  });

  it("answers with an error for a tool that the page no longer has", async () => {
    const ran: unknown[] = [];
    const sessionId = await visitor.session();
    const options = { oracleDid: visitor.oracleDid, overrides: visitor.overrides, sessionId };
    const { result, rerender } = renderHook(
      ({ browserTools }: { browserTools?: IBrowserTools }) =>
        useChat({ ...options, onPaymentRequiredError: () => {}, ...(browserTools && { browserTools }) }),
      {
        wrapper: within(visitor.props),
        initialProps: { browserTools: tools(ran) } as { browserTools?: IBrowserTools },
      },
    );
    await waitFor(() => expect(result.current.isRealTimeConnected).toBe(true));
    // The page may have changed between the declaration and the call.
    const slow = acts(
      [{ calls: [{ name: "load_capability", args: { names: ["portal"] } }] }],
      [{ text: ["Let", " me", " see."], delayMs: 1_000 }, { calls: [{ name: "read_field", args: { field: "name" } }] }],
      [{ text: " Done." }],
    );
    act(() => void result.current.sendMessage(slow));
    await waitFor(() => expect(String(result.current.messages[1]?.content)).toContain("Let"), { interval: 5 });
    rerender({});
    await waitFor(() => expect(result.current.messages[1]?.isComplete).toBe(true));
    const [, call] = result.current.messages[1]?.toolCalls ?? [];
    expect(call).toMatchObject({ name: "read_field", status: "error" });
    expect(call?.output).toContain('This page has no "read_field".');
    expect(ran).toEqual([]);
  });

  it("declares the properties of a schema, so that the oracle refuses invalid arguments", async () => {
    const ran: unknown[] = [];
    const calls = await called(calling("portal", { name: "read_field", args: { field: "secret" } }), {
      browserTools: tools(ran),
    });
    expect(ran).toEqual([]);
    expect(calls[0]?.status).toBe("error");
    expect(calls[0]?.output).toMatch(/schema|args\.field/);
  });

  it("shows a component in its place, and nothing for one that the app does not have", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const sessionId = await visitor.session();
    const uiComponents = { Gauge };
    const { result, unmount } = openChat(visitor, sessionId, { uiComponents });
    const show = (componentName: string, args: object) => ({ name: "render_component", args: { componentName, args } });
    await act(() =>
      result.current.sendMessage(calling("agui", show("Gauge", { label: "Full" }), show("Unknown", { a: 1 }))),
    );
    await waitFor(() => expect(result.current.messages[1]?.isComplete).toBe(true));
    const content = result.current.messages[1]?.content;
    expect(content).toMatchObject([{ name: "Gauge", props: { args: { label: "Full" } } }, "Done."]);
    expect(warn.mock.calls.flat().join(" ")).toContain('"Unknown"');
    warn.mockRestore();
    unmount();
    // After a reload only the history is left.
    const { result: again } = openChat(visitor, sessionId, { uiComponents });
    await waitFor(() => expect(again.current.messages[1]?.content).toEqual(content));
    render(<div>{renderMessageContent(content ?? "", uiComponents)}</div>);
    expect(screen.getByText("Full").title).not.toBe("");
  });

  it("runs an action in the app, and renders it while it runs, when it is done and after a reload", async () => {
    const sessionId = await visitor.session();
    const seen: string[] = [];
    const taken: unknown[] = [];
    const say = { now: async (_: string): Promise<void> => {} };
    const page = <TablePage {...{ visitor, sessionId, seen, taken, say }} />;
    const { unmount } = render(page, { wrapper: within(visitor.props) });
    const args = { title: "Stoves", rows: [1, 2, 3] };
    act(() => void say.now(calling("agui", { name: "make_table", args })));
    await waitFor(() => expect(screen.getByText("Stoves").tagName).toBe("I"), { interval: 5 });
    await waitFor(() => expect(screen.getByText('Stoves: {"count":3}')).toBeDefined());
    expect(taken).toEqual([[1, 2, 3]]);
    expect(seen).toContain("isRunning");
    unmount();
    render(page, { wrapper: within(visitor.props) });
    await waitFor(() => expect(screen.getByText('Stoves: {"count":3}')).toBeDefined());
    expect(taken).toHaveLength(1);
  });

  it("asks for confirmation with the literal arguments before an action that cannot be undone", async () => {
    const asked: unknown[] = [];
    const forget = { name: "forget_fact", args: { id: "MEM-1" } };
    // After a tool result, which the user did not write, changes need confirmation.
    const message = acts([{ calls: [{ name: "search_memory", args: {} }] }], [{ calls: [forget] }], [{ text: "." }]);
    const ask = (answer: boolean) => async (request: ConfirmationRequest) => {
      asked.push(request.args);
      return answer;
    };
    const [, refused] = await called(message, { onConfirmationRequest: ask(false) });
    expect(refused?.output).toContain("did not confirm");
    const [, confirmed] = await called(message, { onConfirmationRequest: ask(true) });
    expect(confirmed?.output).toContain('There is no fact "MEM-1"');
    expect(asked).toEqual([{ id: "MEM-1" }, { id: "MEM-1" }]);
  });
});

import { expect, test } from "vitest";
import { Turn } from "../../src/core/turn.ts";

const component = { sessionId: "s", requestId: "r", componentName: "Chart", args: { label: "two" }, eventId: "call-2" };
const call = {
  seq: 1,
  event: "tool_call",
  data: { toolName: "render_component", eventId: "call-2", args: component },
} as const;
const say = (content: string) => ({ seq: 1, event: "message", data: { content } }) as const;
const content = (turn: Turn) => {
  const { content: said } = turn.message("m", () => true);
  return [said].flat().map((part) => (typeof part === "string" ? part : part.props.id));
};

test("a component keeps its place in the stream, even if the socket delivers it before the text in front of it", () => {
  const turn = new Turn();
  turn.take(say("Before. "));
  turn.addComponent(component, "component-0");
  expect(content(turn)).toEqual(["Before. ", "call-2"]);
  turn.take(say("Between."));
  turn.take(call);
  turn.take({ ...call, data: { ...call.data, status: "done" } });
  turn.take(say("After."));
  expect(content(turn)).toEqual(["Before. Between.", "call-2", "After."]);
});

test("a component that the stream delivered first stays in place when the socket delivers it too", () => {
  const turn = new Turn();
  turn.take(call);
  turn.take(say("After."));
  turn.addComponent(component, "component-0");
  turn.take({ ...call, data: { ...call.data, status: "done" } });
  expect(content(turn)).toEqual(["call-2", "After."]);
});

test("a component without a call in the stream stays where it arrived", () => {
  const turn = new Turn();
  turn.take(say("Before."));
  turn.addComponent({ ...component, eventId: "other" }, "component-0");
  turn.take(say("After."));
  expect(content(turn)).toEqual(["Before.", "other", "After."]);
});

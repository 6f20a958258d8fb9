import { storable } from "./storable.ts";
import type { JsonObject } from "./turn.ts";

/** A component that was shown without a call of a tool. */
export type ShownComponent = { id: string; componentName: string; args: JsonObject; status?: string };

/** One part of an answer. Text is stored as a number of characters, because the message itself has the text. */
export type StoredPart = { text: number } | { reasoning: number } | { call: string } | { component: ShownComponent };

/** The same as clients read it, with its text. */
export type MessagePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; id: string }
  | ({ type: "component" } & ShownComponent);

/** Records the order of an answer's text, reasoning, calls and components. */
export class MessagePartLog {
  readonly #parts: StoredPart[] = [];
  readonly #ids = new Set<string>();

  addText(text: string): void {
    const length = storedLength(text);
    const last = this.#parts.at(-1);
    if (last !== undefined && "text" in last) last.text += length;
    else if (length > 0) this.#parts.push({ text: length });
  }

  addReasoning(text: string): void {
    const length = storedLength(text);
    const last = this.#parts.at(-1);
    if (last !== undefined && "reasoning" in last) last.reasoning += length;
    else if (length > 0) this.#parts.push({ reasoning: length });
  }

  /** A call that is added again stays where it was added first. */
  addCall(id: string): void {
    if (this.#isNew(id)) this.#parts.push({ call: id });
  }

  /** A component with the id of a call takes the call's place. */
  addComponent(component: ShownComponent): void {
    if (this.#isNew(component.id)) this.#parts.push({ component });
  }

  /** The parts to store with the message. Empty when there are only text and reasoning, whose order the fields show. */
  get stored(): StoredPart[] {
    return this.#ids.size === 0 ? [] : storable(this.#parts);
  }

  #isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

/** Length of a text without the characters that the database cannot store. */
const storedLength = (text: string): number => text.replaceAll("\u0000", "").length;

/** Give stored parts their text. */
export function readParts(parts: StoredPart[], content: string, reasoning: string): MessagePart[] {
  let [textRead, reasoningRead] = [0, 0];
  return parts.map((part): MessagePart => {
    if ("call" in part) return { type: "tool_call", id: part.call };
    if ("component" in part) return { type: "component", ...part.component };
    if ("text" in part) {
      const text = content.slice(textRead, textRead + part.text);
      textRead += part.text;
      return { type: "text", text };
    }
    const text = reasoning.slice(reasoningRead, reasoningRead + part.reasoning);
    reasoningRead += part.reasoning;
    return { type: "reasoning", text };
  });
}

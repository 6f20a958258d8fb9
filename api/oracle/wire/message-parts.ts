import { storable } from "./storable.ts";
import type { JsonObject } from "./turn.ts";

/** A component that was shown without a call of a tool. */
export type ShownComponent = { id: string; componentName: string; args: JsonObject; status?: string };

/** What was said, in order. Texts are kept as numbers of characters: the words themselves stand in the message already. */
export type StoredPart = { text: number } | { reasoning: number } | { call: string } | { component: ShownComponent };

/** The same for whoever reads the message. */
export type MessagePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; id: string }
  | ({ type: "component" } & ShownComponent);

/** Notes in which order an answer says its text, its reasoning, its calls and its components. */
export class PartLog {
  readonly #parts: StoredPart[] = [];
  readonly #ids = new Set<string>();

  say(text: string): void {
    const length = storedLength(text);
    const last = this.#parts.at(-1);
    if (last !== undefined && "text" in last) last.text += length;
    else if (length > 0) this.#parts.push({ text: length });
  }

  think(text: string): void {
    const length = storedLength(text);
    const last = this.#parts.at(-1);
    if (last !== undefined && "reasoning" in last) last.reasoning += length;
    else if (length > 0) this.#parts.push({ reasoning: length });
  }

  /** Told again, it stays where it was told first. */
  call(id: string): void {
    if (this.#isNew(id)) this.#parts.push({ call: id });
  }

  /** A component that a call asked for stands where the call does. */
  show(component: ShownComponent): void {
    if (this.#isNew(component.id)) this.#parts.push({ component });
  }

  /** To be kept with the message; nothing for one whose order says no more than its fields. */
  get kept(): StoredPart[] {
    return this.#ids.size === 0 ? [] : storable(this.#parts);
  }

  #isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

/** How many characters of a text the database will hold: all but those that it cannot. */
const storedLength = (text: string): number => text.replaceAll("\u0000", "").length;

/** The parts with their words. */
export function readParts(parts: StoredPart[], content: string, reasoning: string): MessagePart[] {
  let [said, thought] = [0, 0];
  return parts.map((part): MessagePart => {
    if ("call" in part) return { type: "tool_call", id: part.call };
    if ("component" in part) return { type: "component", ...part.component };
    if ("text" in part) {
      const text = content.slice(said, said + part.text);
      said += part.text;
      return { type: "text", text };
    }
    const text = reasoning.slice(thought, thought + part.reasoning);
    thought += part.reasoning;
    return { type: "reasoning", text };
  });
}

import { randomUUID } from "node:crypto";
import { ReadableStream } from "node:stream/web";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import { bestMatch, type Capability } from "./offline-match.ts";

const opening = "[offline model]";

/**
 * Create a model that follows fixed rules instead of a language model, and says so in every answer. A line `/tool <name> {json}`
 * calls a tool; a plain question is compared with the descriptions of the capabilities.
 */
export function offlineModel(capabilities: () => Capability[]): LanguageModelV4 {
  const answer = (options: LanguageModelV4CallOptions) => replyTo(options, capabilities());
  return {
    specificationVersion: "v4",
    provider: "hearth",
    modelId: "offline",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The offline model streams only")),
    doStream: async (options) => ({ stream: ReadableStream.from(partsOf(answer(options))) as StreamResult }),
  };
}

type StreamResult = LanguageModelV4StreamResult["stream"];

type Answer = { text: string; calls: LanguageModelV4ToolCall[] };

function replyTo({ prompt, tools = [] }: LanguageModelV4CallOptions, capabilities: Capability[]): Answer {
  const last = prompt.at(-1);
  if (last?.role === "tool") {
    const lines = last.content.flatMap((part) =>
      part.type === "tool-result" ? [`${part.toolName}: ${textOf(part.output)}`] : [],
    );
    return { text: `${opening} ${lines.join("\n")}`, calls: [] };
  }
  const said =
    last?.role === "user" ? last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") : "";
  const functions = tools.filter((tool): tool is LanguageModelV4FunctionTool => tool.type === "function");
  const commands = said.split("\n").filter((line) => line.trimStart().startsWith("/tool"));
  return commands.length > 0 ? obey(commands, functions) : suggest(said, functions, capabilities);
}

const command = /^\s*\/tool\s+(\S+)\s*(.*)$/s;

function obey(commands: string[], tools: LanguageModelV4FunctionTool[]): Answer {
  const calls: LanguageModelV4ToolCall[] = [];
  const problems: string[] = [];
  for (const line of commands) {
    const [, toolName, json = ""] = command.exec(line) ?? [];
    if (toolName === undefined) problems.push("Write `/tool <name> {json}`.");
    else if (!tools.some(({ name }) => name === toolName)) {
      problems.push(
        `There is no tool "${toolName}" among those that are loaded. ${code("/tool list_capabilities {}")} shows what there is.`,
      );
    } else if (!isJsonObject(json.trim() || "{}")) problems.push(`The arguments of ${toolName} are not a JSON object.`);
    else calls.push(callOf(toolName, json.trim() || "{}"));
  }
  // All or none: if one command is invalid, none is run.
  return problems.length > 0 ? { text: `${opening} ${problems.join(" ")}`, calls: [] } : { text: "", calls };
}

function suggest(said: string, tools: LanguageModelV4FunctionTool[], capabilities: Capability[]): Answer {
  const how =
    "I follow rules, not a language model: set LLM_BASE_URL for one, or call a tool with `/tool <name> {json}`.";
  const found = bestMatch(said, capabilities);
  if (found === undefined)
    return { text: `${opening} ${how} ${code("/tool list_capabilities {}")} shows what I can do.`, calls: [] };
  const { name, manifest, isLoaded } = found;
  const load = isLoaded ? "" : ` Load it first: ${code(`/tool load_capability {"names":["${name}"]}`)}.`;
  const own = found.tools.map((each) => each.name);
  const usable = tools.filter((tool) => own.includes(tool.name));
  const free = usable.find(({ inputSchema }) => (inputSchema.required ?? []).length === 0);
  if (isLoaded && usable.length === 1 && free !== undefined) return { text: "", calls: [callOf(free.name, "{}")] };
  const text = `${opening} ${how} The capability "${name}" fits your question: ${manifest.summary}${load} Its tools: ${own.join(", ")}.`;
  return { text, calls: [] };
}

/** Answers are Markdown, in which `<name>` would be an invisible tag. */
const code = (text: string) => `\`${text}\``;

const callOf = (toolName: string, input: string): LanguageModelV4ToolCall => ({
  type: "tool-call",
  toolCallId: randomUUID(),
  toolName,
  input,
});

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function textOf(output: { type: string; value?: unknown; reason?: string | undefined }): string {
  if (typeof output.value === "string") return output.value;
  return output.value === undefined ? (output.reason ?? "no answer") : JSON.stringify(output.value);
}

function* partsOf({ text, calls }: Answer): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if (text !== "") {
    yield { type: "text-start", id: "0" };
    for (const delta of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) yield { type: "text-delta", id: "0", delta };
    yield { type: "text-end", id: "0" };
  }
  for (const call of calls) {
    yield { type: "tool-input-start", id: call.toolCallId, toolName: call.toolName };
    yield { type: "tool-input-delta", id: call.toolCallId, delta: call.input };
    yield { type: "tool-input-end", id: call.toolCallId };
    yield call;
  }
  const unified = calls.length > 0 ? ("tool-calls" as const) : ("stop" as const);
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
  yield { type: "finish", finishReason: { unified, raw: undefined }, usage };
}

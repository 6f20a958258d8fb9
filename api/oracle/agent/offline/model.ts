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
import { helpIn, nextStep, type ToolResult } from "./answer.ts";
import { bestMatch, type Capability } from "./match.ts";
import { languageOf, readQuestion } from "./question.ts";
import { wordsIn } from "./words-in.ts";

const opening = "[offline model]";

export type OfflineOptions = {
  capabilities: () => Capability[];
  /** URL of the console, for links. */
  consoleUrl: string | undefined;
};

/**
 * Create a model that follows fixed rules instead of a language model, and says so. It reads the questions that people ask first,
 * in English and French, calls the tools that answer them, and says the result in a sentence. A line `/tool <name> {json}` calls a
 * tool by its name. Any other text is compared with the descriptions of the capabilities.
 */
export function offlineModel(options: OfflineOptions): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "hearth",
    modelId: "offline",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The offline model streams only")),
    doStream: async (call) => ({ stream: ReadableStream.from(partsOf(replyTo(call, options))) as StreamResult }),
  };
}

type StreamResult = LanguageModelV4StreamResult["stream"];

type Answer = { text: string; calls: LanguageModelV4ToolCall[] };

function replyTo({ prompt, tools = [] }: LanguageModelV4CallOptions, options: OfflineOptions): Answer {
  const functions = tools.filter((tool): tool is LanguageModelV4FunctionTool => tool.type === "function");
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const said = textOfUser(prompt[asked]);
  const results = prompt.slice(asked + 1).flatMap(resultsIn);
  const commands = said.split("\n").filter((line) => line.trimStart().startsWith("/tool"));
  if (commands.length > 0) {
    if (results.length === 0) return obey(commands, functions);
    const lines = results.map(({ toolName, text }) => `${toolName}: ${text}`);
    return { text: `${opening} ${lines.join("\n")}`, calls: [] };
  }
  const language = languageOf(said);
  const question = readQuestion(said, prompt.slice(0, Math.max(asked, 0)).map(textOfMessage));
  if (question === undefined) return results.length > 0 ? showResults(results) : suggest(said, functions, options);
  const { consoleUrl } = options;
  const isUsable = (toolName: string) => functions.some(({ name }) => name === toolName);
  const step = nextStep(question, language, { results, isUsable, consoleUrl });
  if ("call" in step) return { text: "", calls: [callOf(step.call.toolName, JSON.stringify(step.call.input))] };
  return { text: step.say, calls: [] };
}

type Message = LanguageModelV4CallOptions["prompt"][number];

const textOfUser = (message: Message | undefined): string => (message?.role === "user" ? textOfMessage(message) : "");

function textOfMessage({ role, content }: Message): string {
  if (role === "system") return "";
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function resultsIn(message: Message): ToolResult[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const isError = part.output.type.startsWith("error") || part.output.type === "execution-denied";
    return [{ toolName: part.toolName, text: textOf(part.output), isError }];
  });
}

/** The results of a capability's only tool. */
function showResults(results: ToolResult[]): Answer {
  return { text: `${opening} ${results.map(({ toolName, text }) => `${toolName}: ${text}`).join("\n")}`, calls: [] };
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

/** Say that the rules do not cover the text, what they do cover, and which capability would fit. */
function suggest(said: string, tools: LanguageModelV4FunctionTool[], { capabilities }: OfflineOptions): Answer {
  const words = wordsIn[languageOf(said)];
  const found = bestMatch(said, capabilities());
  const own = found?.tools.map(({ name }) => name) ?? [];
  const usable = tools.filter(({ name }) => own.includes(name));
  const free = usable.find(({ inputSchema }) => (inputSchema.required ?? []).length === 0);
  if (found?.isLoaded === true && usable.length === 1 && free !== undefined) {
    return { text: "", calls: [callOf(free.name, "{}")] };
  }
  const fits = found === undefined ? "" : `\n\n${words.fits(found.manifest.title)}`;
  return { text: `${words.unclear} ${helpIn(words)}${fits}`, calls: [] };
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

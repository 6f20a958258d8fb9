import type { AmountsOwed, Problems, VoucherCounts } from "../../plugins/indexer/figures.ts";
import type { WhereIs } from "../../plugins/indexer/where-is.ts";
import type { Question } from "./question.ts";
import type { Language, Words } from "./words.ts";
import { wordsIn } from "./words-in.ts";

/** The result of a tool in this turn. */
export type ToolResult = { toolName: string; text: string; isError: boolean };

/** The next step of an answer: call a tool, or say something. */
export type Step = { call: { toolName: string; input: object } } | { say: string };

export type Known = {
  results: readonly ToolResult[];
  /** Whether the tool can be called now; otherwise its capability must be loaded first. */
  isUsable: (toolName: string) => boolean;
  /** URL of the console, for links; undefined when it is unknown. */
  consoleUrl: string | undefined;
};

/** Take the next step to answer a question. */
export function nextStep(question: Question, language: Language, known: Known): Step {
  const words = wordsIn[language];
  const link = (id: string) => linkTo(id, known.consoleUrl);
  switch (question.about) {
    case "count": {
      const { state, certificateId } = question;
      const input = {
        ...(certificateId === undefined ? {} : { emissionCertificateId: certificateId }),
        ...(state === undefined ? {} : { status: state }),
      };
      return ask<VoucherCounts>(known, words, { toolName: "count_vouchers", input }, (counts) =>
        words.count(counts, state),
      );
    }
    case "owed":
      return ask<AmountsOwed>(known, words, { toolName: "get_amounts_owed", input: {} }, words.owed);
    case "problems":
      return ask<Problems>(known, words, { toolName: "find_problems", input: {} }, words.problems);
    case "voucher": {
      if (question.id === undefined) return { say: words.whichVoucher };
      return ask<WhereIs>(known, words, { toolName: "where_is", input: { id: question.id } }, (found) =>
        found.voucher === null ? words.where(found, link) : words.voucher(found.voucher, link),
      );
    }
    case "where": {
      if (question.id === undefined) return { say: words.whichId };
      return ask<WhereIs>(known, words, { toolName: "where_is", input: { id: question.id } }, (found) =>
        words.where(found, link),
      );
    }
    case "weather":
      return question.city === undefined ? { say: words.whichCity } : askWeather(known, words, question.city);
    case "help":
      return { say: helpIn(words) };
  }
}

/** Say what the rules understand. */
export function helpIn({ offline, understood, examples }: Words): string {
  return `${offline} ${understood}\n\n${examples.map((example) => `- ${example}`).join("\n")}`;
}

type Call = { toolName: string; input: object };

/** Call a tool, or answer from its result. */
function ask<Result>(known: Known, words: Words, call: Call, answer: (result: Result) => string): Step {
  const result = known.results.findLast(({ toolName }) => toolName === call.toolName);
  if (result === undefined) {
    if (!known.isUsable(call.toolName)) return { say: words.failed("") };
    return { call };
  }
  if (result.isError) return { say: words.failed(result.text) };
  return { say: answer(JSON.parse(result.text) as Result) };
}

type Weather = { city: string; temp_c: number; conditions: string; source: "forecast" | "climatology" };

function askWeather(known: Known, words: Words, city: string): Step {
  const call = { toolName: "get_current_weather", input: { city } };
  if (!known.isUsable(call.toolName)) {
    const loading = known.results.find(({ toolName }) => toolName === "load_capability");
    if (loading === undefined) return { call: { toolName: "load_capability", input: { names: ["weather"] } } };
    return { say: words.failed(loading.isError ? loading.text : "") };
  }
  return ask<Weather>(known, words, call, ({ city: name, temp_c: degrees, conditions, source }) =>
    words.weather({ city: name, degrees, conditions, isMean: source === "climatology" }),
  );
}

/** An id as Markdown: a link to its trace in the console. */
function linkTo(id: string, consoleUrl: string | undefined): string {
  const text = id.replaceAll(/[\\`*_[\]~$]/g, "\\$&");
  return consoleUrl === undefined ? text : `[${text}](${consoleUrl}/regulator/trace/${encodeURIComponent(id)})`;
}

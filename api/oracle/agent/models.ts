import { AsyncLocalStorage } from "node:async_hooks";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { ModelCard } from "../wire/turn.ts";
import type { OpenModel } from "./loop.ts";
import type { Capability } from "./offline-match.ts";
import { offlineModel } from "./offline-model.ts";
import { type TextTap, tappedFetch } from "./tapped-fetch.ts";

/** Address of a language model; undefined if there is none, and the offline rules answer. */
export type ModelEndpoint = {
  baseUrl: string;
  apiKey: string | undefined;
  models: string[];
  /** How long it may send nothing before its answer is aborted, in milliseconds. */
  silenceMs?: number;
};

/** List the models that a message may choose; the first is the default. */
export function modelCards(endpoint: ModelEndpoint | undefined): ModelCard[] {
  // Users pay at most for messages, never for tokens.
  const pricing = { inputPerMillion: 0, outputPerMillion: 0, currency: "USD", unit: "per_million_tokens" } as const;
  const common = { badge: "", vision: false, pricing };
  if (endpoint === undefined) {
    const blurb = "Fixed rules, no language model: /tool <name> {json} calls a tool.";
    const card = { id: "offline", label: "Offline rules", family: "offline", tier: "basic", costLabel: "free", blurb };
    return [{ ...card, ...common, isDefault: true }];
  }
  return endpoint.models.map((id, i) => ({
    id,
    label: id,
    family: id.split(/[-:/]/)[0] ?? id,
    tier: "standard",
    costLabel: "as hosted",
    ...common,
    blurb: `${id} over an OpenAI-compatible endpoint.`,
    isDefault: i === 0,
  }));
}

/** Open the model of a turn. */
export function openModel(
  endpoint: ModelEndpoint | undefined,
  id: string | undefined,
  capabilities: () => Capability[],
): OpenModel {
  if (endpoint === undefined) return () => ({ model: offlineModel(capabilities), tells: false });
  const model = chatModel(endpoint, id ?? endpoint.models[0] ?? "");
  return (tap) => {
    const doStream: LanguageModelV4["doStream"] = (options) => taps.run(tap, () => model.doStream(options));
    return { model: Object.create(model, { doStream: { value: doStream } }) as LanguageModelV4, tells: true };
  };
}

/** Listener of the current answer. */
const taps = new AsyncLocalStorage<TextTap>();
const noTap: TextTap = () => {};
const opened = new BoundedCache<string, LanguageModelV4>(100);

/** Created once, because the provider's schemas cost more than the rest of starting a turn. */
function chatModel({ baseUrl: baseURL, apiKey, silenceMs }: ModelEndpoint, id: string): LanguageModelV4 {
  const name = JSON.stringify([baseURL, apiKey, id, silenceMs]);
  const known = opened.get(name);
  if (known !== undefined) return known;
  const tapped: typeof fetch = (input, init) => tappedFetch(taps.getStore() ?? noTap, silenceMs)(input, init);
  const key = apiKey === undefined ? {} : { apiKey };
  const model = createOpenAICompatible({ name: "llm", baseURL, ...key, fetch: tapped }).chatModel(id);
  opened.set(name, model);
  return model;
}

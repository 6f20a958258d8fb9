import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ModelCard } from "../turn.ts";
import type { OpenModel } from "./loop.ts";
import { type Capability, offlineModel } from "./offline-model.ts";
import { tappedFetch } from "./tapped-fetch.ts";

/** Where a language model is; undefined: there is none, and the offline rules answer. */
export type ModelEndpoint = { baseUrl: string; apiKey: string | undefined; models: string[] };

/** What can be chosen; the first is the default. */
export function modelCards(endpoint: ModelEndpoint | undefined): ModelCard[] {
  const common = { badge: null, vision: false, pricing: null };
  if (endpoint === undefined) {
    const blurb = "Fixed rules, no language model: /tool <name> {json} calls a tool.";
    const card = { id: "offline", label: "Offline rules", family: "offline", tier: "basic", costLabel: "free", blurb };
    return [{ ...card, ...common, isDefault: true }];
  }
  return endpoint.models.map((id, i) => ({
    ...{ id, label: id, family: id.split(/[-:/]/)[0] ?? id, tier: "standard", costLabel: "as hosted" },
    ...{ ...common, blurb: `${id} over an OpenAI-compatible endpoint.`, isDefault: i === 0 },
  }));
}

/** The model of a turn. */
export function openModel(
  endpoint: ModelEndpoint | undefined,
  id: string | undefined,
  capabilities: () => Capability[],
): OpenModel {
  if (endpoint === undefined) return () => ({ model: offlineModel(capabilities), tells: false });
  const { baseUrl: baseURL, apiKey, models } = endpoint;
  return (tap) => {
    const key = apiKey === undefined ? {} : { apiKey };
    const provider = createOpenAICompatible({ name: "llm", baseURL, ...key, fetch: tappedFetch(tap) });
    return { model: provider.chatModel(id ?? models[0] ?? ""), tells: true };
  };
}

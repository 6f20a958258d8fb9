import type { ModelCard } from "../wire/turn.ts";

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
    const blurb = "Fixed rules, no language model: answers the questions that people ask first.";
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

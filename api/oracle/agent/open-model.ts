import { AsyncLocalStorage } from "node:async_hooks";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { OpenModel } from "./loop.ts";
import type { ModelEndpoint } from "./models.ts";
import { type OfflineOptions, offlineModel } from "./offline/model.ts";
import { type TextTap, tappedFetch } from "./tapped-fetch.ts";

/** Open the model of a turn. */
export function openModel(
  endpoint: ModelEndpoint | undefined,
  id: string | undefined,
  offline: OfflineOptions,
): OpenModel {
  if (endpoint === undefined) return () => ({ model: offlineModel(offline), tells: false });
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

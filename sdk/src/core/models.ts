import { ApiError } from "./api-error.ts";

/** A model that the oracle can answer with. */
export type IModel = {
  id: string;
  label: string;
  family: string;
  tier: string;
  costLabel: string;
  badge: string;
  blurb: string;
  vision: boolean;
  /** Price of tokens, in addition to the price of a message. */
  pricing: { inputPerMillion: number; outputPerMillion: number; currency: "USD"; unit: "per_million_tokens" };
  isDefault: boolean;
};

export type ModelList = { models: IModel[]; default: string | null };

/**
 * List the models that an oracle can answer with. Needs no authentication.
 * @throws ApiError
 * @example
 * ```ts
 * import { listModels } from "@hearth/oracles-client-sdk/core";
 *
 * const { models } = await listModels("http://localhost:3000");
 * console.log(models.map(({ label, costLabel }) => `${label}: ${costLabel}`));
 * ```
 */
export async function listModels(baseUrl: string): Promise<ModelList> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`);
  if (!response.ok) throw await ApiError.from(response);
  return (await response.json()) as ModelList;
}

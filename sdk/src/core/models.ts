import { ApiError } from "./api-error.ts";

/** A model that the oracle can answer with. */
export type IModel = {
  id: string;
  label: string;
  family: string;
  tier: string;
  costLabel: string;
  badge: string | null;
  blurb: string;
  vision: boolean;
  pricing: { inputPerMillion: number; outputPerMillion: number } | null;
  isDefault: boolean;
};

export type ModelList = { models: IModel[]; default: string | null };

/** The models of an oracle; public. @throws ApiError */
export async function listModels(baseUrl: string): Promise<ModelList> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`);
  if (!response.ok) throw await ApiError.from(response);
  return (await response.json()) as ModelList;
}

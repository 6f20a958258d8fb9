import { z } from "zod";

/** The parts of a campaign's terms that say how its sample is drawn. */
const samplingTerms = z.object({
  sampling: z.object({ profile: z.string(), secondParty: z.string().optional() }).optional(),
});
export type SamplingOfTerms = NonNullable<z.infer<typeof samplingTerms>["sampling"]>;

/** Read them from the terms' JSON; undefined where they state none. */
export function samplingOfTerms(text: string | undefined): SamplingOfTerms | undefined {
  try {
    return samplingTerms.parse(JSON.parse(text ?? "{}")).sampling;
  } catch {
    return undefined;
  }
}

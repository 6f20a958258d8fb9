import { HearthError } from "../../wire/src/index.ts";
import type { Answers } from "./answers.ts";
import type { FormKind } from "./forms/question.ts";
import type { Work } from "./outcome.ts";

/** The region that the record itself says; null when it says none. */
export function regionSaid(kind: FormKind, { region }: Answers): string | null {
  return kind === "household" && typeof region === "string" ? region : null;
}

/**
 * Find the region of a record's household, so that a team sees its progress by village: what the record says, or what is registered.
 * @returns null when it is not known, or the source's API key may not read the household
 * @throws HearthError when Hearth cannot answer now
 */
export async function regionOf({ signedIn, row, answers }: Work): Promise<string | null> {
  const said = regionSaid(row.kind, answers);
  if (row.region !== null || row.kind === "household") return said ?? row.region;
  const { household } = answers;
  if (typeof household !== "string") return null;
  try {
    const found = await signedIn.client.get("/v1/households/{did}", { path: { did: household } });
    return found.region;
  } catch (error) {
    // Unknown to this key, or not registered, which the record's own rules will say.
    if (error instanceof HearthError && [400, 403, 404].includes(error.status)) return null;
    throw error;
  }
}

import type { SearchResults } from "../../../wire/src/reports.ts";
import { AppError } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import type { IndexerClient } from "../../platform/indexer/index.ts";
import { type RegistryDeps, requireVisibleHousehold } from "../registry/index.ts";

/** Dependencies of the search. */
export type SearchDeps = RegistryDeps & { indexer: IndexerClient };

/** Search the public records, and the household of a DID if the caller may see it. @throws AppError UNAVAILABLE */
export async function search(deps: SearchDeps, ctx: RequestContext, q: string): Promise<SearchResults> {
  const [found, household] = await Promise.all([deps.indexer.search(q), findHousehold(deps, ctx, q)]);
  return { ...found, results: [...household, ...found.results] };
}

async function findHousehold(deps: SearchDeps, ctx: RequestContext, q: string): Promise<SearchResults["results"]> {
  if (!q.startsWith("did:")) return [];
  try {
    const { did, household } = await requireVisibleHousehold(deps, ctx, q);
    return [{ type: "household", id: did, name: null, status: null, index: household }];
  } catch (error) {
    // The same as for a household that does not exist.
    if (error instanceof AppError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}

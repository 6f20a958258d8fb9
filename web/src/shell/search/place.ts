import type { SearchResult } from "../../../../wire/src/reports.ts";

/** A page of the console with its parameters in the address. */
export type Place = { to: string; search?: Record<string, string | number> };

/** The page that shows a record, or the records of a participant. @param isVisitor whether nobody is signed in */
export function placeOf({ type, id, index }: SearchResult, isVisitor: boolean): Place {
  const number = index ?? 0;
  switch (type) {
    case "campaign":
      // The campaign's own page needs a key.
      return { to: `/regulator/${isVisitor ? "trace" : "campaigns"}/${encodeURIComponent(id)}` };
    case "implementer":
      return { to: "/regulator/certificates", search: { implementer: number } };
    case "supplier":
      return { to: "/regulator/redemptions", search: { supplier: number } };
    case "product":
      return { to: "/regulator/redemptions", search: { product: number } };
    case "household":
      return { to: "/regulator/vouchers", search: { household: number } };
    case "authorization":
    case "approach":
      return { to: "/regulator/itmos", search: { tab: "authorizations" } };
    default:
      return { to: `/regulator/trace/${encodeURIComponent(id)}` };
  }
}

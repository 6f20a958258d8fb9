import type { Schemas } from "../../../../wire/src/routes.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import { isDid } from "../participants/participant-fields.ts";
import type { Scope } from "./scopes.ts";

/** What the form of an integrator's key holds. */
export type KeyDraft = {
  name: string;
  scopes: Scope[];
  dids: string[];
  /** The key acts for all participants and households; `dids` is then not sent. */
  isForAll: boolean;
  ipRanges: string[];
  /** `YYYY-MM-DD`, in this device's time zone; empty: no end. */
  lastDay: string;
  requestsPerMinute: string;
};

export const emptyKey: KeyDraft = {
  name: "",
  scopes: [],
  dids: [],
  isForAll: false,
  ipRanges: [],
  lastDay: "",
  requestsPerMinute: "",
};

const mostRequests = 1_000_000;

/** Find what is wrong with a draft, by field. `now` is in milliseconds. The API checks IP ranges. */
export function keyProblems(draft: KeyDraft, now: number): Partial<Record<keyof KeyDraft, TextKey>> {
  const problems: Partial<Record<keyof KeyDraft, TextKey>> = {};
  if (!draft.isForAll) {
    const dids = trimmed(draft.dids);
    if (dids.length === 0) problems.dids = "keys.didsMissing";
    else if (!dids.every(isDid)) problems.dids = "keys.didWrong";
  }
  if (draft.lastDay !== "" && endOf(draft.lastDay).getTime() <= now) problems.lastDay = "keys.expiryWrong";
  const rate = draft.requestsPerMinute.trim();
  if (rate !== "" && !(/^[1-9]\d{0,6}$/.test(rate) && Number(rate) <= mostRequests)) {
    problems.requestsPerMinute = "keys.rateWrong";
  }
  return problems;
}

/** Build the request that makes the key; empty lists and fields are left out. */
export function keyBody(draft: KeyDraft): Schemas["NewApiKey"] {
  const dids = draft.isForAll ? [] : trimmed(draft.dids);
  const ipRanges = trimmed(draft.ipRanges);
  const rate = draft.requestsPerMinute.trim();
  return {
    role: "integrator",
    name: draft.name.trim(),
    scopes: draft.scopes,
    ...(dids.length > 0 ? { dids } : {}),
    ...(ipRanges.length > 0 ? { ipRanges } : {}),
    ...(draft.lastDay === "" ? {} : { expiresAt: endOf(draft.lastDay).toISOString() }),
    ...(rate === "" ? {} : { requestsPerMinute: Number(rate) }),
  };
}

const trimmed = (list: readonly string[]) => [...new Set(list.map((each) => each.trim()).filter(Boolean))];

/** The last second of a day in this device's time zone. */
function endOf(day: string): Date {
  return new Date(`${day}T23:59:59`);
}

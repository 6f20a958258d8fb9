import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { FormKind } from "./question.ts";

/** Scopes of the API key that writes the records of each form. */
const scopes: Record<FormKind, string[]> = {
  household: ["households:write"],
  device: ["devices:write", "households:read"],
  kpt: ["kpt:write", "campaigns:read", "households:read"],
  usage: ["campaigns:write"],
  delivery: ["claims:write"],
};

/** What the records of some forms are about. */
type About = { campaignId?: string | undefined; planId?: string | undefined; supplierDid?: string | undefined };

export function scopesOf(forms: readonly FormKind[]): string[] {
  return [...new Set(forms.flatMap((form) => scopes[form]))];
}

/** Name what the forms need and was not given: a campaign, a plan or a supplier. */
export function missingFor(forms: readonly FormKind[], { campaignId, planId, supplierDid }: About): RuleDetail[] {
  const needs: [FormKind, string, unknown][] = [
    ["kpt", "campaignId", campaignId],
    ["usage", "campaignId", campaignId],
    ["device", "planId", planId],
    ["delivery", "supplierDid", supplierDid],
  ];
  return needs
    .filter(([form, , value]) => forms.includes(form) && value === undefined)
    .map(([form, path]) => ({ path, rule: "required-for-form", message: `The form ${form} needs ${path}.` }));
}

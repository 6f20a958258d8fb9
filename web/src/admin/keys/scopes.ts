import type { Schemas } from "../../../../wire/src/routes.ts";
import type keys from "../../i18n/en/keys.json";
import type { TextKey } from "../../i18n/i18n.ts";

export type Scope = NonNullable<Schemas["NewApiKey"]["scopes"]>[number];
export type ScopeGroup = keyof typeof keys.group;

/** The group under which the form shows each scope. A scope that the API adds must be added here. */
const groupOf: Record<Scope, ScopeGroup> = {
  "vouchers:read": "vouchers",
  "vouchers:issue": "vouchers",
  "vouchers:manage": "vouchers",
  "vouchers:redeem": "vouchers",
  "vouchers:attest-pin": "vouchers",
  "vouchers:send-codes": "vouchers",
  "claims:write": "claims",
  "kpt:write": "claims",
  "households:read": "households",
  "households:write": "households",
  "cards:read": "cards",
  "cards:write": "cards",
  "devices:write": "devices",
  "campaigns:read": "campaigns",
  "campaigns:write": "campaigns",
  "certificates:write": "certificates",
  "certificates:allocate": "certificates",
  "itmo:convert": "itmo",
  "itmo:settle": "itmo",
  "payments:read": "money",
  "payouts:read": "money",
  "payouts:write": "money",
  "pool:swap": "money",
  "implementers:write": "parties",
  "suppliers:write": "parties",
  "issuers:write": "parties",
  "monitoring-plans:write": "plans",
  "products:write": "plans",
  "products:approve": "plans",
  "events:read": "events",
  "webhooks:write": "events",
  "transactions:prepare": "transactions",
  "transactions:relay": "transactions",
};

const scopes = Object.keys(groupOf) as Scope[];

/** All scopes, in groups. */
export const scopeGroups = [...new Set(Object.values(groupOf))].map(
  (group) => [group, scopes.filter((scope) => groupOf[scope] === group)] as const,
);

/** Whether this console knows the scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(groupOf, text);
}

/** Key of the sentence that says what a scope allows. */
export function scopeText(scope: Scope): TextKey {
  return `keys.scope.${scope.replace(":", ".")}` as TextKey;
}

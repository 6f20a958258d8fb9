import { AppError, type RuleDetail, refuseBrokenRules } from "../errors.ts";
import type { KeyDeps } from "./deps.ts";
import { isOnCurve } from "./public-jwk.ts";
import type { NewApiKey } from "./schemas.ts";

/** Refuse a key that breaks the rules of its role and limits. @throws AppError RULE_VIOLATION with every broken rule */
export function refuseBrokenKey(input: NewApiKey, now: Date): void {
  const details = brokenKeyRules(input, now);
  if (input.role === "supplier" && input.publicJwk === undefined) {
    const message = "A supplier's key is bound to a public key (DPoP).";
    details.push({ path: "publicJwk", rule: "required-for-role", message });
  }
  refuseBrokenRules(details, "This key cannot be created.");
}

/**
 * Refuse an invitation to a key that breaks the rules of its role and limits. Its public key follows when it is accepted.
 * @throws AppError RULE_VIOLATION with every broken rule, at its path below `key`
 */
export function refuseBrokenInvitation(key: Omit<NewApiKey, "publicJwk">, now: Date): void {
  const details = brokenKeyRules(key, now).map((each) => ({ ...each, path: `key.${each.path}` }));
  refuseBrokenRules(details, "This key cannot be created.");
}

/**
 * Check that the participants that a key names are registered. `at`: the path of the key's fields in the request.
 * @throws AppError NOT_FOUND with every one that is not
 */
export async function requireParticipants(deps: KeyDeps, input: NewApiKey, at = ""): Promise<void> {
  const { participants } = deps;
  if (participants === undefined) return;
  const details: RuleDetail[] = [];
  const note = (path: string, kind: string, did: string) =>
    details.push({ path: `${at}${path}`, rule: `${kind}-registered`, message: `There is no ${kind} ${did}.` });
  if (input.supplierDid !== undefined && !(await participants.isSupplier(input.supplierDid))) {
    note("supplierDid", "supplier", input.supplierDid);
  }
  if (input.implementerDid !== undefined && !(await participants.isImplementer(input.implementerDid))) {
    note("implementerDid", "implementer", input.implementerDid);
  }
  if (details.length > 0)
    throw new AppError("NOT_FOUND", "A participant that the key names is not registered.", { details });
}

function brokenKeyRules(input: NewApiKey, now: Date): RuleDetail[] {
  const details: RuleDetail[] = [];
  const broken = (path: string, rule: string, message: string) => details.push({ path, rule, message });
  const { role } = input;
  if (role === "supplier" && input.supplierDid === undefined)
    broken("supplierDid", "required-for-role", "A supplier's key names its DID.");
  if (role === "implementer" && input.implementerDid === undefined) {
    broken("implementerDid", "required-for-role", "An implementer's key names its DID.");
  }
  if (role !== "supplier" && input.supplierDid !== undefined)
    broken("supplierDid", "not-for-role", "Only a supplier's key has it.");
  if (role !== "implementer" && input.implementerDid !== undefined) {
    broken("implementerDid", "not-for-role", "Only an implementer's key has it.");
  }
  if (role !== "integrator" && input.scopes !== undefined)
    broken("scopes", "not-for-role", "Only an integrator's key has it.");
  if (role !== "integrator" && role !== "evaluator" && input.dids !== undefined)
    broken("dids", "not-for-role", "Only an integrator's or an evaluator's key has it.");
  if (input.publicJwk !== undefined && !isOnCurve(input.publicJwk))
    broken("publicJwk", "valid-key", "This is not a point of the curve.");
  if (input.expiresAt !== undefined && new Date(input.expiresAt) <= now)
    broken("expiresAt", "in-future", "The expiry is in the past.");
  return details;
}

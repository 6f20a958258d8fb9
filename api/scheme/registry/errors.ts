import { AppError, brokenRuleError, defineRules, type RuleDetail } from "../../platform/errors.ts";

const broken = defineRules({
  "household-registered-already": ["not-registered-before", "Household {id} is registered already."],
  "device-registered-already": ["not-registered-before", "Device {id} is registered already."],
  "household-not-registered": ["household-registered", "Household {id} is not registered."],
  "implementer-not-registered": ["implementer-registered", "Implementer {id} is not registered."],
  "plan-not-registered": ["plan-registered", "Monitoring plan {id} is not registered."],
  "campaign-not-registered": ["campaign-registered", "Campaign {id} is not registered."],
  "usage-survey-not-registered": ["usage-survey-registered", "Usage survey of campaign {id} is not registered."],
});
type Noun = "Household" | "Implementer" | "Monitoring plan" | "Campaign" | "Usage survey of campaign";

/** Build the 409 for an id that is registered already; `path` is the field in the body. */
export function alreadyRegistered(noun: string, path: string, id: string): AppError {
  if (noun === "Household") return brokenRuleError("CONFLICT", broken("household-registered-already", path, { id }));
  if (noun === "Device") return brokenRuleError("CONFLICT", broken("device-registered-already", path, { id }));
  const message = `${noun} ${id} is registered already.`;
  return new AppError("CONFLICT", message, { details: [{ path, rule: "not-registered-before", message }] });
}

const codesOfUnknown = {
  Household: "household-not-registered",
  Implementer: "implementer-not-registered",
  "Monitoring plan": "plan-not-registered",
  Campaign: "campaign-not-registered",
  "Usage survey of campaign": "usage-survey-not-registered",
} as const satisfies Record<Noun, string>;

/** State that a body names something that is not registered. */
export function unregistered(noun: Noun, path: string | undefined, id: string): RuleDetail {
  return broken(codesOfUnknown[noun], path, { id });
}

export function notRegistered(noun: string, id: string): AppError {
  if (noun in codesOfUnknown) return brokenRuleError("NOT_FOUND", unregistered(noun as Noun, undefined, id));
  return new AppError("NOT_FOUND", `${noun} ${id} is not registered.`);
}

/** Build the 409 for a request that the current state does not allow. */
export function ruleConflict(rule: string, message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ rule, message }] });
}

/** Build the 409 for a change that the record's status does not allow, or that it has already. */
export function statusConflict(message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ path: "status", rule: "status-allows", message }] });
}

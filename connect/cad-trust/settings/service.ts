import { AppError, brokenRuleError, type RuleDetail, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import type { CadTrustDeps } from "../deps.ts";
import { problem } from "../problems.ts";
import type { SettingsRow } from "../tables.ts";
import type { NewSettings, Profile, Settings } from "./schemas.ts";

/**
 * Set the server and what is published. Every record is sent again to another server.
 * @throws AppError FORBIDDEN; RULE_VIOLATION naming every broken rule; CONFLICT when they are not the ones that the caller has read
 */
export async function putSettings(deps: CadTrustDeps, ctx: RequestContext, input: NewSettings): Promise<Settings> {
  requireRole(ctx.actor, "regulator");
  const problems = [...addressProblems(input.serverUrl), ...problemsOf(input.profile)];
  refuseBrokenRules(problems, "The settings break rules.");
  const before = await deps.store.settings();
  const { serverUrl, apiKey, dryRun, profile, changedAt } = input;
  const url = serverUrl.replace(/\/+$/, "");
  // A kept key must not be sent to another server.
  const kept = before?.serverUrl === url ? before.sealedApiKey : null;
  const row: SettingsRow = {
    id: 1,
    serverUrl: url,
    sealedApiKey: apiKey === undefined ? kept : apiKey && deps.host.secretBox.seal(apiKey),
    dryRun,
    profile,
    changedBy: ctx.actor.keyId,
    changedAt: deps.host.clock.now(),
  };
  const known = typeof changedAt === "string" ? new Date(changedAt) : changedAt;
  if (!(await deps.store.putSettings(row, known)))
    throw brokenRuleError("CONFLICT", problem("registry-settings-changed", "changedAt"));
  return serialize(row);
}

/** Read the settings. @throws AppError FORBIDDEN; NOT_FOUND before they were set */
export async function getSettings(deps: CadTrustDeps, ctx: RequestContext): Promise<Settings> {
  requireRole(ctx.actor, "regulator");
  return serialize(await requireSettings(deps));
}

/** @throws AppError NOT_FOUND before the settings were set */
export async function requireSettings(deps: CadTrustDeps): Promise<SettingsRow> {
  const row = await deps.store.settings();
  if (row !== undefined) return row;
  throw new AppError("NOT_FOUND", "Nothing is published yet: set the server with PUT /v1/cad-trust/settings.");
}

function serialize({ serverUrl, sealedApiKey, dryRun, profile, changedBy, changedAt }: SettingsRow): Settings {
  const hasApiKey = sealedApiKey !== null;
  return { serverUrl, version: "v2", dryRun, hasApiKey, profile, changedBy, changedAt: changedAt.toISOString() };
}

/** Paths are added to the address, and only the API key is stored encrypted. */
function addressProblems(serverUrl: string): RuleDetail[] {
  const { username, password } = new URL(serverUrl);
  const [beforeFragment = ""] = serverUrl.split("#");
  return [
    ...(username === "" && password === "" ? [] : [problem("registry-url-user", "serverUrl")]),
    ...(beforeFragment.includes("?") ? [problem("registry-url-query", "serverUrl")] : []),
    ...(serverUrl.includes("#") ? [problem("registry-url-fragment", "serverUrl")] : []),
  ];
}

function problemsOf({ methodologies, projects, verifiers, submissions }: Profile): RuleDetail[] {
  const codes = new Set(methodologies.map(({ code }) => code));
  const unknown = projects.flatMap(({ methodologyCode }, i) => {
    if (codes.has(methodologyCode)) return [];
    const path = `profile.projects.${i}.methodologyCode`;
    return [problem("registry-method-unknown", path, { code: methodologyCode })];
  });
  return [
    ...unknown,
    ...repeated("methodologies", methodologies, ({ code }) => code),
    ...repeated("projects", projects, ({ activityId }) => activityId),
    ...repeated("verifiers", verifiers, ({ did }) => did),
    ...repeated("submissions", submissions, ({ year }) => String(year)),
    ...projects.flatMap(datesOf),
  ];
}

function repeated<T>(list: string, items: readonly T[], idOf: (item: T) => string): RuleDetail[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const id = idOf(item);
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew ? [] : [problem("registry-given-twice", `profile.${list}.${i}`, { id })];
  });
}

function datesOf({ estimations, validation }: Profile["projects"][number], i: number): RuleDetail[] {
  const periods = [
    ...estimations.map((period, n) => ({ path: `estimations.${n}`, period })),
    ...(validation?.creditingPeriod
      ? [{ path: "validation.creditingPeriod", period: validation.creditingPeriod }]
      : []),
  ];
  return periods.flatMap(({ path, period: { startDate, endDate } }) =>
    endDate > startDate ? [] : [problem("registry-dates-reversed", `profile.projects.${i}.${path}.endDate`)],
  );
}

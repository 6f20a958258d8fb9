import { keccak256, stringToHex, zeroHash } from "viem";
import { type Chain, dayOf, once, submitCall, todayOf } from "../../platform/chain/index.ts";
import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type RequestContext, requireRole, toPage } from "../../platform/http/index.ts";
import type { Operations } from "../../platform/operations/index.ts";
import { jsonExact } from "../emissions/index.ts";
import { indexAfter, notRegistered, type Registry } from "../registry/index.ts";
import {
  ALIAS_KIND,
  type CarbonRegistry,
  carbonRegistries,
  carbonRegistryOf,
  registryOfAlias,
} from "./carbon-registries.ts";
import { idOf, type ParameterEntry, type Parameters } from "./entries.ts";
import { choiceOf, exactValue, parameterProblems, scaledValue, unitOf } from "./rules.ts";
import type { NewParameter, ParameterResponse } from "./schemas.ts";

export type ParameterDeps = { chain: Chain; operations: Operations; parameters: Parameters; registry: Registry };

type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  kind?: string | undefined;
  key?: string | undefined;
  newest?: "true" | "false" | undefined;
};

/**
 * Record a parameter on chain. It supersedes the newest one of its kind and key.
 * @throws AppError FORBIDDEN, RULE_VIOLATION naming every broken rule
 */
export async function setParameter(
  deps: ParameterDeps,
  ctx: RequestContext,
  input: NewParameter,
): Promise<ParameterResponse> {
  requireRole(ctx.actor, "regulator");
  const { transactionHash } = await once(deps, ctx, async () => {
    const entry = await entryOf(deps, input);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "parameters",
      functionName: "set",
      args: [entry],
      purpose: "parameter.set",
    });
  });
  const entries = await deps.parameters.all();
  const made = entries.findLast((each) => each.transactionHash === transactionHash);
  if (made === undefined) throw new Error(`The transaction ${transactionHash} recorded no parameter.`);
  return serialize(deps, made, entries);
}

/** The entry on chain that a request describes. @throws AppError RULE_VIOLATION naming every broken rule */
export async function entryOf(deps: Pick<ParameterDeps, "parameters" | "registry">, input: NewParameter) {
  const broken = [...parameterProblems(input), ...(await spellingProblems(deps, input))];
  refuseBrokenRules(broken, "The parameter breaks rules; nothing was recorded.");
  const { kind, key, source, sourceHash = zeroHash, validFrom, validTo } = input;
  return {
    kind,
    key,
    ...scaledValue(exactValue(input)),
    unit: unitOf(input),
    source,
    sourceHash,
    validFrom: dayOf(validFrom) ?? 0,
    validTo: validTo === undefined ? 0 : (dayOf(validTo) ?? 0),
  };
}

/** Allow one spelling per registry, so that certificates and reports know it as one: that of its certificates, or the recorded one. */
async function spellingProblems(
  { parameters, registry }: Pick<ParameterDeps, "parameters" | "registry">,
  input: NewParameter,
): Promise<RuleDetail[]> {
  const { kind, key } = input;
  if (kind !== "registry" && kind !== "corsia" && kind !== ALIAS_KIND) return [];
  const registries = carbonRegistries(await parameters.all(), input.validFrom);
  if (kind === ALIAS_KIND) return aliasProblems(registries, input);
  const name = kind === "registry" ? key : key.slice(key.indexOf("/") + 1);
  const refused = (message: string) => [{ path: "key", rule: "registry-spelling", message }];
  const certified = await registry.ledger.certificates.read.registryNameHash([name]);
  if (certified === keccak256(stringToHex(name))) return [];
  if (certified !== zeroHash) {
    return refused("Certificates spell the registry's name differently: use their spelling.");
  }
  const recorded = carbonRegistryOf(registries, name) ?? registryOfAlias(registries, name);
  if (recorded === null) return takenIdProblems(registries, input);
  if (recorded.name === name) return [];
  return refused(`The registry is on record as ${recorded.name}: use that.`);
}

/** Require that an alias is of a recorded registry, and is not the name of one. */
function aliasProblems(registries: readonly CarbonRegistry[], { key, registryId }: NewParameter): RuleDetail[] {
  if (registryId === undefined) return [];
  if (registries.every((each) => each.registryId !== registryId)) {
    const known = registries.map((each) => each.registryId).join(", ");
    const message = `No registry ${registryId} is on record: ${known || "there is none"}.`;
    return [{ path: "registryId", rule: "registry-recorded", message }];
  }
  const named = carbonRegistryOf(registries, key);
  if (named === null) return [];
  const message = `${key} is the name of a registry on record, ${named.name}.`;
  return [{ path: "key", rule: "alias-not-recorded", message }];
}

/** Require that no other registry has the id. */
function takenIdProblems(registries: readonly CarbonRegistry[], input: NewParameter): RuleDetail[] {
  const other = input.kind === "registry" && registries.find((each) => each.registryId === unitOf(input));
  if (!other) return [];
  const message = `${other.name} has the id ${other.registryId}: give the registry another.`;
  return [{ path: "registryId", rule: "registry-id-unique", message }];
}

/** Read a parameter. @throws AppError NOT_FOUND */
export async function getParameter(deps: ParameterDeps, id: string): Promise<ParameterResponse> {
  const entry = await deps.parameters.byId(id);
  if (entry === null) throw notRegistered("Parameter", id);
  return serialize(deps, entry, await deps.parameters.all());
}

/** List parameters in the order in which they were recorded. */
export async function listParameters(
  deps: ParameterDeps,
  query: ListQuery,
): Promise<{ items: ParameterResponse[]; nextCursor: string | null }> {
  const after = indexAfter(query.cursor);
  const entries = await deps.parameters.all();
  const rows = entries.filter(
    (entry) =>
      entry.number > after &&
      (query.kind === undefined || entry.kind === query.kind) &&
      (query.key === undefined || entry.key === query.key) &&
      (query.newest !== "true" || nextOf(entry, entries) === null),
  );
  const { items, nextCursor } = toPage(rows.slice(0, query.limit + 1), query.limit, ({ number }) => [number]);
  return { items: await Promise.all(items.map((entry) => serialize(deps, entry, entries))), nextCursor };
}

function nextOf(entry: ParameterEntry, entries: readonly ParameterEntry[]): ParameterEntry | null {
  const isNext = (each: ParameterEntry) =>
    each.number > entry.number && each.kind === entry.kind && each.key === entry.key;
  return entries.find(isNext) ?? null;
}

async function serialize(
  { chain, registry }: ParameterDeps,
  entry: ParameterEntry,
  entries: readonly ParameterEntry[],
): Promise<ParameterResponse> {
  const { kind, key, value, unit, source, sourceHash, validFrom, validTo, transactionHash } = entry;
  const next = nextOf(entry, entries);
  const today = await todayOf({ chain });
  return {
    parameterId: idOf(entry),
    kind,
    key,
    value: jsonExact(value),
    unit,
    choice: choiceOf(entry),
    registry: serializeRegistry(entry, carbonRegistries(entries, today)),
    source,
    sourceHash,
    validFrom,
    validTo,
    supersededBy: next === null ? null : idOf(next),
    setAt: (await registry.ledger.timeOf(entry.blockNumber)).toISOString(),
    transactionHash,
  };
}

function serializeRegistry(
  { kind, key, unit }: ParameterEntry,
  registries: readonly CarbonRegistry[],
): ParameterResponse["registry"] {
  if (kind !== "registry" && kind !== ALIAS_KIND) return null;
  const meant = (each: CarbonRegistry) => each.registryId === unit;
  const found = kind === ALIAS_KIND ? registries.find(meant) : carbonRegistryOf(registries, key);
  if (found == null) return null;
  const { registryId, name, url, aliases } = found;
  return { registryId, name, url, aliases };
}

import { mandatoryShares } from "../../../../indexer/schema/article-6-words.ts";
import { firstTransferDefinitions, itmoPurposes } from "../../../../indexer/schema/itmo-words.ts";
import { codeBytes } from "../../../../wire/src/code-text.ts";
import { dateOf, dayOf, once, submitCall } from "../../../platform/chain/index.ts";
import { type AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { type RequestContext, toPage } from "../../../platform/http/index.ts";
import { formatScaled, jsonScaled } from "../../../platform/values/numbers.ts";
import { alreadyRegistered, indexAfter, notRegistered } from "../../registry/index.ts";
import { requireRegulator } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import type { ApproachRow, AuthorizationRow } from "../tables.ts";
import { type RegisteredEntity, writeTerms } from "../terms.ts";
import { isAnnounced, type ReductionState, readReductionState, requireAuthorized } from "./reduction-state.ts";
import {
  type AuthorizationResponse,
  type AuthorizationSummary,
  type NewAuthorization,
  type NewAuthorizationVersion,
  PERCENT_DECIMALS,
} from "./schemas.ts";

const WHOLE_SHARE = 10_000n;

type ListQuery = { limit: number; cursor?: string | undefined; cooperativeApproachId?: string | undefined };

/**
 * Register an authorization of a cooperative approach.
 * @throws AppError FORBIDDEN, NOT_FOUND (the approach), CONFLICT (the id), RULE_VIOLATION naming every broken rule
 */
export async function registerAuthorization(
  deps: ItmoDeps,
  ctx: RequestContext,
  input: NewAuthorization,
): Promise<AuthorizationResponse> {
  requireRegulator(ctx.actor);
  await once(deps, ctx, async () => {
    const approach = await knownApproach(deps, input.cooperativeApproachId);
    const implementers = await implementersOf(deps, input);
    refuseBrokenRules(
      await brokenRules(deps, input, implementers),
      "The authorization breaks rules; nothing was registered.",
    );
    if ((await deps.itmo.ledger.authorizationIndex(input.authorizationId)) !== 0) {
      throw alreadyRegistered("Authorization", "authorizationId", input.authorizationId);
    }
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "itmo",
      functionName: "registerAuthorization",
      args: [registrationOf(input, approach, implementers)],
      purpose: "itmo.authorization",
    });
  });
  return getAuthorization(deps, input.authorizationId);
}

/**
 * Change an authorization's quantity, as a new version.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT when less than is committed
 */
export async function changeAuthorizedQuantity(
  deps: ItmoDeps,
  ctx: RequestContext,
  authorizationId: string,
  { authorizedQuantity, reason }: NewAuthorizationVersion,
): Promise<AuthorizationResponse> {
  requireRegulator(ctx.actor);
  const row = await knownAuthorization(deps, authorizationId);
  const { authorization } = row;
  await once(deps, ctx, async () => {
    const { committed } = await deps.itmo.ledger.authorizationState(authorization);
    if (BigInt(authorizedQuantity) < committed) {
      const message = `${committed} tonnes of the authorization are requested or issued already.`;
      throw ruleError("CONFLICT", "authorizedQuantity", "quantity-committed", message);
    }
    await requireAuthorized(deps, row, BigInt(authorizedQuantity));
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "itmo",
      functionName: "setAuthorizedQuantity",
      args: [authorization, BigInt(authorizedQuantity), reason],
      purpose: "itmo.authorized_quantity",
    });
  });
  return getAuthorization(deps, authorizationId);
}

/** Read an authorization with its versions. @throws AppError NOT_FOUND */
export async function getAuthorization(deps: ItmoDeps, authorizationId: string): Promise<AuthorizationResponse> {
  const row = await knownAuthorization(deps, authorizationId);
  const [summary, versions, changes] = await Promise.all([
    summarise(deps, row),
    deps.itmo.ledger.versionsOf(row.authorization),
    deps.itmo.ledger.changesOf(row.authorization),
  ]);
  return {
    ...summary,
    versions: versions.map(({ version, quantity, reason, transactionHash, at }) => ({
      version,
      authorizedQuantity: jsonScaled(quantity, 0),
      reason,
      changedAt: at.toISOString(),
      transactionHash,
    })),
    changes: changes.map(({ kind, purpose, quantity, finalFrom, reason, transactionHash, at }) => ({
      kind,
      purpose,
      authorizedQuantity: quantity === null ? null : jsonScaled(quantity, 0),
      finalAt: finalFrom === 0 ? null : `${dateOf(finalFrom)}T00:00:00.000Z`,
      reason,
      changedAt: at.toISOString(),
      transactionHash,
    })),
  };
}

/** List authorizations in the order of registration. @throws AppError NOT_FOUND if the filter's approach is not registered */
export async function listAuthorizations(deps: ItmoDeps, query: ListQuery) {
  const { itmo } = deps;
  const after = indexAfter(query.cursor);
  const { cooperativeApproachId: id } = query;
  const approach = id === undefined ? undefined : (await knownApproach(deps, id)).approach;
  await itmo.authorizations.catchUp();
  const rows = await itmo.stores.authorizations.listAfter(after, query.limit + 1, approach);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.authorization]);
  return { items: await Promise.all(items.map((row) => summarise(deps, row))), nextCursor };
}

/** Read the approach that a request's body names. @throws AppError NOT_FOUND */
export async function knownApproach(deps: ItmoDeps, id: string): Promise<ApproachRow> {
  const row = await deps.itmo.approaches.byId(id);
  if (row === null) throw missing("cooperativeApproachId", "cooperative-approach-exists", "Cooperative approach", id);
  return row;
}

/** Read the authorization that a path names. @throws AppError NOT_FOUND */
export async function knownAuthorization(deps: ItmoDeps, id: string): Promise<AuthorizationRow> {
  const row = await deps.itmo.authorizations.byId(id);
  if (row === null) throw notRegistered("Authorization", id);
  return row;
}

/** Build the 404 for an id in a request's body that is not registered. */
export function missing(path: string, rule: string, noun: string, id: string): AppError {
  const { message } = notRegistered(noun, id);
  return ruleError("NOT_FOUND", path, rule, message);
}

function yearsOf(timeframe: string | undefined): [firstYear: number, lastYear: number] {
  const [first, last] = (timeframe ?? "0-0").split("-").map(Number);
  return [first ?? 0, last ?? 0];
}

/** Look up each entity's implementer number: 0 for none, null if it is not registered. */
async function implementersOf(deps: ItmoDeps, { authorizedEntities }: NewAuthorization): Promise<(number | null)[]> {
  const { implementers } = deps.registry;
  return Promise.all(
    authorizedEntities.map(async ({ implementerDid: did }) =>
      did === undefined ? 0 : ((await implementers.byDid(did))?.implementer ?? null),
    ),
  );
}

async function brokenRules(
  deps: ItmoDeps,
  input: NewAuthorization,
  implementers: readonly (number | null)[],
): Promise<RuleDetail[]> {
  const broken: RuleDetail[] = [];
  const refuse = (path: string, rule: string, message: string) => void broken.push({ path, rule, message });
  const today = Number((await deps.chain.now()) / 86_400n);
  if ((dayOf(input.date) ?? 0) > today) {
    refuse("date", "date-not-in-future", "The authorization's date is in the future.");
  }
  const [firstYear, lastYear] = yearsOf(input.timeframe);
  if (lastYear < firstYear) refuse("timeframe", "dates-ordered", "The last year must not be before the first.");
  if (input.purpose !== "NDC" && input.firstTransferDefinition === undefined) {
    const message = "An authorization for other international mitigation purposes must define the first transfer.";
    refuse("firstTransferDefinition", "first-transfer-definition", message);
  }
  if ((input.omgePercent ?? 0n) + (input.sopPercent ?? 0n) > WHOLE_SHARE) {
    refuse("sopPercent", "shares-within-whole", "OMGE and share of proceeds must not exceed 100 % together.");
  }
  broken.push(...(await brokenShares(deps, input)));
  const ids = input.authorizedEntities.map(({ id }) => id);
  for (const [i, id] of ids.entries()) {
    if (ids.indexOf(id) !== i) refuse(`authorizedEntities.${i}.id`, "named-once", `${id} is named already.`);
    if (implementers[i] === null) {
      const message = `Implementer ${input.authorizedEntities[i]?.implementerDid} is not registered.`;
      refuse(`authorizedEntities.${i}.implementerDid`, "implementer-registered", message);
    }
  }
  return broken;
}

/** List the shares that are below the least shares of an approach under Article 6.4. */
async function brokenShares({ parameters }: ItmoDeps, input: NewAuthorization): Promise<RuleDetail[]> {
  const record = await parameters.newestOn("mechanism", input.cooperativeApproachId, input.date);
  if (record?.unit !== "article-6.4") return [];
  const { omgePercent = 0n, sopPercent = 0n, cooperativeApproachId: id } = input;
  const least = (name: string, share: number) =>
    `${id} is under Article 6.4: ${name} of at least ${percentOf(share)} % is mandatory.`;
  const broken: RuleDetail[] = [];
  if (omgePercent < BigInt(mandatoryShares.omge)) {
    broken.push({ path: "omgePercent", rule: "omge-mandatory", message: least("OMGE", mandatoryShares.omge) });
  }
  if (sopPercent < BigInt(mandatoryShares.sop)) {
    const message = least("a share of proceeds", mandatoryShares.sop);
    broken.push({ path: "sopPercent", rule: "sop-mandatory", message });
  }
  return broken;
}

function registrationOf(input: NewAuthorization, { approach }: ApproachRow, implementers: readonly (number | null)[]) {
  const [firstYear, lastYear] = yearsOf(input.timeframe);
  const { purpose, firstTransferDefinition: definition, omgePercent = 0n, sopPercent = 0n } = input;
  const applies = purpose !== "NDC" && definition !== undefined;
  const stated = definition !== undefined && !applies ? { firstTransferDefinition: definition } : {};
  return {
    authorizationId: input.authorizationId,
    approach,
    date: dayOf(input.date) ?? 0,
    quantity: BigInt(input.authorizedQuantity),
    purpose: itmoPurposes.indexOf(purpose) + 1,
    firstTransfer: applies ? firstTransferDefinitions.indexOf(definition) + 1 : 0,
    firstYear,
    lastYear,
    omgeShare: Number(omgePercent),
    sopShare: Number(sopPercent),
    entities: input.authorizedEntities.map(({ name, countryOfIncorporation, id }, i) => ({
      name,
      country: codeBytes(countryOfIncorporation),
      entityId: id,
      implementer: implementers[i] ?? 0,
    })),
    terms: writeTerms({ ...input.terms, ...stated }),
  };
}

async function serializeEntity(deps: ItmoDeps, { implementer = 0, ...entity }: RegisteredEntity) {
  const registered = implementer === 0 ? null : await deps.registry.implementers.byIndex(implementer);
  return registered === null ? entity : { ...entity, implementerDid: registered.did };
}

async function summarise(deps: ItmoDeps, row: AuthorizationRow): Promise<AuthorizationSummary> {
  const { itmo } = deps;
  const [state, approach, left] = await Promise.all([
    itmo.ledger.authorizationState(row.authorization),
    itmo.approaches.byIndex(row.approach),
    readReductionState(deps, row),
  ]);
  return {
    authorizationId: row.authorizationId,
    cooperativeApproachId: approach?.cooperativeApproachId ?? "",
    version: state.version,
    date: row.date,
    authorizedQuantity: jsonScaled(state.quantity, 0),
    committed: jsonScaled(state.committed, 0),
    issued: jsonScaled(state.issued, 0),
    remaining: jsonScaled(remainingOf(state, left), 0),
    status: left.status,
    reduction: serializeReduction(left),
    firstTransferred: jsonScaled(left.firstTransferred, 0),
    purpose: row.purpose,
    authorizedEntities: await Promise.all(row.entities.map((entity) => serializeEntity(deps, entity))),
    timeframe: row.lastYear === 0 ? null : `${row.firstYear} - ${row.lastYear}`,
    firstTransferDefinition: row.firstTransferDefinition,
    omgePercent: percentOf(row.omgeShare),
    sopPercent: percentOf(row.sopShare),
    omge: jsonScaled(state.omge, 0),
    sop: jsonScaled(state.sop, 0),
    terms: Object.fromEntries(Object.entries(row.terms).filter(([, text]) => text !== undefined)),
    index: row.authorization,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}

/** Tonnes that can be requested now. */
function remainingOf({ quantity, committed }: { quantity: bigint; committed: bigint }, left: ReductionState): bigint {
  if (isAnnounced(left) || left.status === "revoked") return 0n;
  const most = left.quantity === null || left.quantity > quantity ? quantity : left.quantity;
  return most > committed ? most - committed : 0n;
}

function serializeReduction({ purpose, quantity, finalAt }: ReductionState): AuthorizationSummary["reduction"] {
  if (quantity === null || finalAt === null) return null;
  return { purpose, authorizedQuantity: jsonScaled(quantity, 0), finalAt: finalAt.toISOString() };
}

function percentOf(share: number): number {
  return Number(formatScaled(BigInt(share), PERCENT_DECIMALS));
}

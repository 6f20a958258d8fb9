import { AppError, type RuleDetail, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { decodeTimeCursor, type RequestContext, requireRole, toPage } from "../../../api/platform/http/index.ts";
import { changeOnce, forgetChange } from "../../../api/platform/idempotency/index.ts";
import { generateKey } from "../../../api/platform/keys/index.ts";
import type { HearthClient } from "../../../wire/src/index.ts";
import { requireCampaign } from "../../records/forms/catalogue.ts";
import { missingFor, scopesOf } from "../../records/forms/needs.ts";
import type { Form } from "../../records/forms/question.ts";
import { trialClient } from "../../records/trial-client.ts";
import { catchUpConnection } from "../catch-up.ts";
import type { KoboDeps } from "../deps.ts";
import { type KoboApi, type KoboAsset, KoboError, type KoboQuestion, openKoboApi } from "../kobo-api.ts";
import { formOf } from "../read-record.ts";
import type { ConnectionRow, FieldMapping } from "../tables.ts";
import { fieldsOf, questionOf } from "../to-record.ts";
import { clientOf, endpointOf, koboOf } from "./access.ts";
import type { Connection, ConnectionCheck, ConnectionDetail, ConnectionFields, NewConnection } from "./schemas.ts";

/**
 * Connect a Kobo project: check the token, make an API key that can write the form's records, and make the hook at Kobo.
 * @throws AppError FORBIDDEN; RULE_VIOLATION naming every broken rule; NOT_FOUND for an unknown campaign; CONFLICT when the project is
 *   connected already; UPSTREAM when Kobo fails
 */
export async function createConnection(deps: KoboDeps, ctx: RequestContext, input: NewConnection): Promise<Connection> {
  requireRole(ctx.actor, "admin");
  const { store, host } = deps;
  refuseBrokenRules(missingFor([input.form], input), "The connection's form lacks something.");
  let isNew = false;
  const id = await changeOnce(host.db, ctx, async () => {
    const { row, storeKey } = await prepareConnection(deps, ctx, input);
    return async (tx) => {
      if (!(await store.insert(tx, row))) throw connectedAlready(input.assetUid);
      await storeKey(tx);
      isNew = true;
      return row.id;
    };
  });
  const row = await requireConnection(deps, ctx, id);
  if (row.revokedAt !== null) throw ended();
  const hookUid = await addHook(deps, ctx, row, isNew);
  host.log.info({ connectionId: id, keyId: row.keyId, by: ctx.actor.keyId }, "Kobo project connected");
  return toConnection({ ...row, hookUid });
}

async function prepareConnection(deps: KoboDeps, ctx: RequestContext, input: NewConnection) {
  const { host } = deps;
  const { name, assetUid, token, form, implementerDid, supplierDid } = input;
  const serverUrl = input.serverUrl.replace(/\/+$/, "");
  const asset = await askingKobo(() => openKoboApi(host, { serverUrl, assetUid, token }).asset());
  refuseBrokenRules(assetProblems(asset), "The Kobo project cannot be connected.");
  const key = {
    name: `Kobo: ${name}`,
    scopes: scopesOf([form]),
    dids: supplierDid === undefined ? [implementerDid] : [implementerDid, supplierDid],
  };
  const apiKey = await host.keys.prepare(ctx, key);
  const { id, key: secret } = generateKey("hb");
  const row: ConnectionRow = {
    id,
    name,
    serverUrl,
    assetUid,
    sealedToken: host.secretBox.seal(token),
    sealedSecret: host.secretBox.seal(secret),
    hookUid: null,
    form,
    mapping: input.mapping,
    collectorDid: input.collectorDid,
    implementerDid,
    campaignId: input.campaignId ?? null,
    planId: input.planId ?? null,
    supplierDid: supplierDid ?? null,
    keyId: apiKey.id,
    sealedKey: host.secretBox.seal(apiKey.key),
    createdBy: ctx.actor.keyId,
    createdAt: host.clock.now(),
    revokedAt: null,
  };
  const client = trialClient(host, ctx, key);
  await requireCampaign(client, row);
  refuseBrokenRules(await mappingProblems(client, row, asset.questions), "The mapping does not fit the forms.");
  return { row, storeKey: apiKey.store };
}

/** Make the hook of a stored connection, so that its first call finds the connection. Without a hook, the connection is removed. */
async function addHook(deps: KoboDeps, ctx: RequestContext, row: ConnectionRow, isNew: boolean): Promise<string> {
  const { store, host } = deps;
  const kobo = koboOf(deps, row);
  try {
    return await askingKobo(async () => {
      // An interrupted attempt may have made it.
      const known = isNew
        ? undefined
        : (await kobo.hooks()).find(({ endpoint }) => endpoint === endpointOf(deps, row.id));
      const hookUid = known?.uid ?? (await makeHook(deps, kobo, row));
      await store.change(row.id, { hookUid });
      return hookUid;
    });
  } catch (error) {
    const leave = await host.db.transaction(async (tx) => {
      await store.remove(tx, row.id);
      await forgetChange(tx, ctx);
      return await host.keys.takeBack(tx, row.keyId);
    });
    leave();
    throw error;
  }
}

/** List one page of connections, oldest first. @throws AppError FORBIDDEN unless the caller is an admin */
export async function listConnections(
  deps: KoboDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
) {
  requireRole(ctx.actor, "admin");
  const position = decodeTimeCursor(query.cursor);
  const after = position && { createdAt: position.at, id: position.id };
  const rows = await deps.store.list(query.limit, after);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  return { items: items.map(toConnection), nextCursor };
}

/** Read a connection, and how its records go. @throws AppError FORBIDDEN; NOT_FOUND */
export async function readConnection(deps: KoboDeps, ctx: RequestContext, id: string): Promise<ConnectionDetail> {
  const row = await requireConnection(deps, ctx, id);
  return { ...toConnection(row), ...(await deps.store.countsOf(id)) };
}

/** List the fields of Hearth's form with the questions of Kobo's, for a mapping. @throws AppError FORBIDDEN; NOT_FOUND; UPSTREAM */
export async function readFields(deps: KoboDeps, ctx: RequestContext, id: string): Promise<ConnectionFields> {
  const row = await requireConnection(deps, ctx, id);
  const { questions } = await askingKobo(() => koboOf(deps, row).asset());
  const { form } = await formOf(clientOf(deps, row), row);
  return { fields: fieldsWith(form, row.mapping, questions), questions };
}

/** Replace the mapping. Refused records are read by it when they ring again, or by an import. @throws AppError FORBIDDEN; NOT_FOUND; RULE_VIOLATION */
export async function changeMapping(
  deps: KoboDeps,
  ctx: RequestContext,
  id: string,
  mapping: FieldMapping[],
): Promise<Connection> {
  const row = { ...(await requireConnection(deps, ctx, id)), mapping };
  if (row.revokedAt !== null) throw ended();
  const { questions } = await askingKobo(() => koboOf(deps, row).asset());
  refuseBrokenRules(await mappingProblems(clientOf(deps, row), row, questions), "The mapping does not fit the forms.");
  await deps.store.change(id, { mapping });
  return toConnection(row);
}

/**
 * Check a connection: the token, the project, its hook, which is made again when it is missing, and records whose bell was lost or
 * that were edited.
 * @throws AppError FORBIDDEN; NOT_FOUND; CONFLICT for one that was ended; RULE_VIOLATION, UPSTREAM as Kobo answers
 */
export async function checkConnection(deps: KoboDeps, ctx: RequestContext, id: string): Promise<ConnectionCheck> {
  const row = await requireConnection(deps, ctx, id);
  if (row.revokedAt !== null) throw ended();
  const kobo = koboOf(deps, row);
  return await askingKobo(async () => {
    const asset = await kobo.asset();
    const hook = await repairHook(deps, kobo, row);
    const changed = await catchUpConnection(deps, row);
    const { form } = await formOf(clientOf(deps, row), row);
    const missing = fieldsWith(form, row.mapping, asset.questions).filter(({ required, found }) => required && !found);
    return {
      project: asset.name,
      deployed: asset.isDeployed,
      records: asset.records,
      hook,
      changed,
      missing: missing.map(({ field }) => field),
    };
  });
}

/** End a connection, its API key and its hook. Repeating it removes a hook that Kobo did not remove before. @throws AppError FORBIDDEN; NOT_FOUND */
export async function endConnection(deps: KoboDeps, ctx: RequestContext, id: string): Promise<Connection> {
  const { store, host } = deps;
  const row = await requireConnection(deps, ctx, id);
  const revokedAt = row.revokedAt ?? host.clock.now();
  // First here: then Kobo's calls are refused, whether or not its hook can be removed.
  await endHere(deps, row, revokedAt);
  host.log.info({ connectionId: id, by: ctx.actor.keyId }, "Kobo project disconnected");
  if (row.hookUid === null) return toConnection({ ...row, revokedAt });
  try {
    await koboOf(deps, row).removeHook(row.hookUid);
  } catch (error) {
    if (!(error instanceof KoboError)) throw error;
    host.log.warn({ connectionId: id, reason: error.message }, "Kobo's hook was not removed");
    return toConnection({ ...row, revokedAt });
  }
  await store.change(id, { hookUid: null });
  return toConnection({ ...row, revokedAt, hookUid: null });
}

/** End a connection and its API key, both or neither. */
async function endHere({ store, host }: KoboDeps, { id, keyId }: ConnectionRow, revokedAt: Date): Promise<void> {
  const leave = await host.db.transaction(async (tx) => {
    await store.change(id, { revokedAt }, tx);
    return await host.keys.takeBack(tx, keyId);
  });
  leave();
}

/**
 * Finish the connections whose request was interrupted before their hook was made, and never repeated: make the hook. Where Kobo
 * refuses that, the connection ends with its API key, which would stay without use.
 */
export async function finishConnections(deps: KoboDeps, signal: AbortSignal): Promise<void> {
  const { store, host } = deps;
  const now = host.clock.now();
  for (const row of await store.withoutHook(new Date(now.getTime() - interruptedMs))) {
    if (signal.aborted) return;
    try {
      await repairHook(deps, koboOf(deps, row), row);
      host.log.info({ connectionId: row.id }, "an interrupted connection to Kobo was finished");
    } catch (error) {
      if (!(error instanceof KoboError)) throw error;
      const isFinal = error.status !== undefined && error.status >= 400 && error.status < 500;
      if (isFinal) await endHere(deps, row, now);
      host.log.warn({ connectionId: row.id, isFinal, reason: error.message }, "a connection has no hook at Kobo");
    }
  }
}

/** Age of a connection without a hook from which on its request is over: it waits for Kobo at most half as long. */
const interruptedMs = 3 * 60_000;

/** @throws AppError FORBIDDEN unless the caller is an admin; NOT_FOUND */
export async function requireConnection(deps: KoboDeps, ctx: RequestContext, id: string): Promise<ConnectionRow> {
  requireRole(ctx.actor, "admin");
  const row = await deps.store.find(id);
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no Kobo connection ${id}.`);
  return row;
}

/** Turn what Kobo answered into an error of a route: a wrong server, project or token is the caller's to correct. */
export function asAppError(thrown: unknown): unknown {
  if (!(thrown instanceof KoboError)) return thrown;
  const { status, message } = thrown;
  if (status !== undefined && status >= 500) return new AppError("UPSTREAM", message, { cause: thrown });
  const refuse = (path: string, rule: string) =>
    new AppError("RULE_VIOLATION", message, { details: [{ path, rule, message }], cause: thrown });
  if (status === 401 || status === 403) return refuse("token", "kobo-token");
  if (status === 404) return refuse("assetUid", "kobo-project");
  return refuse("serverUrl", "kobo-server");
}

async function askingKobo<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw asAppError(error);
  }
}

async function makeHook(deps: KoboDeps, kobo: KoboApi, { id, sealedSecret }: ConnectionRow): Promise<string> {
  const password = deps.host.secretBox.open(sealedSecret);
  return await kobo.createHook({ endpoint: endpointOf(deps, id), username: id, password });
}

async function repairHook(deps: KoboDeps, kobo: KoboApi, row: ConnectionRow): Promise<ConnectionCheck["hook"]> {
  const endpoint = endpointOf(deps, row.id);
  const found = (await kobo.hooks()).find((each) => each.endpoint === endpoint);
  const hookUid = found?.uid ?? (await makeHook(deps, kobo, row));
  if (hookUid !== row.hookUid) await deps.store.change(row.id, { hookUid });
  if (found === undefined) return "made";
  if (found.active) return "active";
  await kobo.activateHook(found.uid);
  return "activated";
}

function assetProblems({ isDeployed }: KoboAsset): RuleDetail[] {
  if (isDeployed) return [];
  return [{ path: "assetUid", rule: "kobo-deployed", message: "The project is not deployed, or it is archived." }];
}

/** Fields that Hearth's form lacks and questions that Kobo's form lacks. */
async function mappingProblems(
  client: HearthClient,
  row: ConnectionRow,
  questions: readonly KoboQuestion[],
): Promise<RuleDetail[]> {
  if (row.mapping.length === 0) return [];
  const { form } = await formOf(client, row);
  const fields = new Set(fieldsOf(form.questions).map(({ field }) => field));
  const paths = new Set(questions.map(({ path }) => path));
  const seen = new Set<string>();
  return row.mapping.flatMap(({ field, question }, i) => {
    const found: RuleDetail[] = [];
    const at = `mapping.${i}`;
    if (!fields.has(field)) {
      found.push({ path: `${at}.field`, rule: "field-known", message: `The form ${row.form} has no field ${field}.` });
    }
    if (seen.has(field)) {
      found.push({ path: `${at}.field`, rule: "field-once", message: `The field ${field} is mapped twice.` });
    }
    seen.add(field);
    if (!paths.has(question)) {
      const message = `Kobo's form has no question ${question}.`;
      found.push({ path: `${at}.question`, rule: "question-known", message });
    }
    return found;
  });
}

function fieldsWith(form: Form, mapping: readonly FieldMapping[], questions: readonly KoboQuestion[]) {
  const paths = new Set(questions.map(({ path }) => path));
  return fieldsOf(form.questions).map((field) => {
    const question = questionOf(mapping, field.field);
    return { ...field, question, found: paths.has(question) };
  });
}

function connectedAlready(assetUid: string): AppError {
  const message = `The project ${assetUid} is connected already. End that connection first.`;
  return new AppError("CONFLICT", message, { details: [{ path: "assetUid", rule: "connected-once", message }] });
}

function ended(): AppError {
  return new AppError("CONFLICT", "The connection was ended.");
}

function toConnection(row: ConnectionRow): Connection {
  const { sealedToken: _token, sealedSecret: _secret, sealedKey: _key, createdAt, revokedAt, ...rest } = row;
  return { ...rest, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}

import { sql } from "drizzle-orm";
import type { Transaction } from "../../../platform/db/index.ts";
import type { ChainTail } from "../../audit/hash-chain.ts";
import type { FileEventRow } from "../../audit/tables.ts";
import type { CommitOrder } from "./commit-order.ts";
import type { WriteUsage } from "./order-check.ts";

export type Accepted = { order: CommitOrder; version: number; retained: number };
export type NamespaceChange = { namespace: string; usage: WriteUsage; rows: FileEventRow[]; tail: ChainTail };
/** `reservations`: ids of those that the batch releases. */
export type Batch = { rows: OrderRow[]; changes: NamespaceChange[]; reservations: string[] };
export type OrderRow = ReturnType<typeof orderRow>;

const base64 = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString("base64"));

/** Build the columns that an accepted order writes; bytes in base64. */
export function orderRow({ order, version, retained }: Accepted) {
  const { sealedVersion, blob, size, versionKey, details, cidTag } = order.content;
  const row = {
    id: order.fileId,
    namespace: order.namespace,
    version,
    retained,
    sealed_version: sealedVersion,
    blob,
    size,
    version_key: base64(versionKey),
    details: base64(details),
    cid_tag: base64(cidTag),
    at: order.at.toISOString(),
    by: order.namespace,
    head: order.kind === "replace" ? order.head.blob : null,
  };
  if (order.kind === "replace") return row;
  const { path, hidden, public: open, keyGroup, fileKey } = order;
  return { ...row, path, hidden, public: open, key_group: keyGroup, file_key: base64(fileKey) };
}

const rowColumns =
  sql.raw(`id text, namespace text, version int, retained int, sealed_version int, blob text, size bigint,
  version_key text, details text, cid_tag text, at timestamptz, by text, head text`);
const newFileColumns = sql.raw("path text, hidden boolean, public boolean, key_group text, file_key text");
const contentColumns = sql.raw("sealed_version, blob, size, version_key, details, cid_tag");
const givenContent = sql.raw(`given.sealed_version, given.blob, given.size, decode(given.version_key, 'base64'),
  decode(given.details, 'base64'), decode(given.cid_tag, 'base64')`);

/**
 * Write a batch in one statement: copy the superseded heads into history, replace them with the new heads, insert the new files,
 * add the usage, and append the audit events to their chains. Every part sees the rows from before the statement. A file occurs
 * at most once, because a second write would have to name a head that did not exist when it was ordered.
 */
export async function writeRows(tx: Transaction, { rows, changes, reservations }: Batch): Promise<void> {
  const replaced = JSON.stringify(rows.filter(({ head }) => head !== null));
  const created = JSON.stringify(rows.filter(({ head }) => head === null));
  await tx.execute(sql`
    with replaced as materialized (select * from jsonb_to_recordset(${replaced}::jsonb) as given(${rowColumns})),
    kept as (
      insert into file_versions (file_id, version, ${contentColumns}, label, pinned, written_at, written_by)
      select files.id, files.version, files.sealed_version, files.blob, files.size, files.version_key, files.details,
        files.cid_tag, files.label, files.pinned, files.written_at, files.written_by
      from files join replaced on files.id = replaced.id),
    written as (
      update files set version = given.version, retained = given.retained, label = null, pinned = false,
        (${contentColumns}) = row(${givenContent}), written_at = given.at, written_by = given.by, updated_at = given.at
      from replaced given where files.id = given.id),
    created as (
      insert into files (id, namespace, path, version, retained, hidden, public, key_group, file_key, ${contentColumns},
        created_at, created_by, written_at, written_by, updated_at)
      select given.id, given.namespace, given.path, given.version, given.retained, given.hidden, given.public,
        given.key_group, decode(given.file_key, 'base64'), ${givenContent}, given.at, given.by, given.at, given.by, given.at
      from jsonb_to_recordset(${created}::jsonb) as given(${rowColumns}, ${newFileColumns})),
    counted as (
      update namespaces set bytes = namespaces.bytes + given.bytes, files = namespaces.files + given.files,
        versions = namespaces.versions + given.versions, reserved = namespaces.reserved + given.reserved, audit_sequence = given.sequence,
        audit_head = decode(given.head, 'base64')
      from jsonb_to_recordset(${tailsOf(changes)}::jsonb) as given(namespace text, bytes bigint, files bigint, versions bigint,
        reserved bigint, sequence bigint, head text)
      where namespaces.namespace = given.namespace),
    ended as (
      delete from file_reservations where id = any(array(select jsonb_array_elements_text(${JSON.stringify(reservations)}::jsonb))))
    insert into file_events (namespace, sequence, id, at, kind, file_id, version, actor, invoker, token_cid, run_id,
      tool_call_id, cid_hmac, format, hash)
    select namespace, sequence, id, at, kind, file_id, version, actor, invoker, token_cid, run_id, tool_call_id,
      decode(cid_hmac, 'base64'), format, decode(hash, 'base64')
    from jsonb_to_recordset(${eventsOf(changes)}::jsonb) as given(namespace text, sequence bigint, id text, at timestamptz,
      kind text, file_id text, version int, actor text, invoker text, token_cid text, run_id text, tool_call_id text,
      cid_hmac text, format smallint, hash text)`);
}

function tailsOf(changes: NamespaceChange[]): string {
  return JSON.stringify(
    changes.map(({ namespace, usage, tail: { sequence, head } }) => ({
      namespace,
      ...usage,
      sequence,
      head: base64(head),
    })),
  );
}

function eventsOf(changes: NamespaceChange[]): string {
  return JSON.stringify(
    changes.flatMap(({ rows }) =>
      rows.map((row) => ({
        namespace: row.namespace,
        sequence: row.sequence,
        id: row.id,
        at: row.at.toISOString(),
        kind: row.kind,
        file_id: row.fileId,
        version: row.version,
        actor: row.actor,
        invoker: row.invoker,
        token_cid: row.tokenCid,
        run_id: row.runId,
        tool_call_id: row.toolCallId,
        cid_hmac: base64(row.cidHmac),
        format: row.format,
        hash: base64(row.hash),
      })),
    ),
  );
}

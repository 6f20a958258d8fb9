import { sql } from "drizzle-orm";
import { versionCap } from "../records/file-metadata.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import type { Check } from "./report.ts";

type Wrong = { namespace: string; file_id: string };

/** Check the stored counts: retained versions of files, usage of namespaces. */
export async function checkCounts(check: Check): Promise<void> {
  const { db } = check.deps;
  const wrongFiles = sql`
    select files.namespace, files.id as file_id from files
    left join (select file_id, count(*) as kept, max(version) as newest from file_versions group by file_id) old
      on old.file_id = files.id
    where files.retained <> 1 + coalesce(old.kept, 0) or files.retained > ${versionCap} or old.newest >= files.version
    limit 1000`;
  for (const { namespace, file_id: fileId } of (await db.execute<Wrong>(wrongFiles)).rows) {
    const message = `File ${fileId} has a wrong count of versions.`;
    await check.found({ kind: "count-wrong", namespace, fileId, message }, () =>
      changeNamespace(check.deps, namespace, (tx) =>
        tx.execute(sql`update files set retained = 1 + (select count(*) from file_versions where file_id = ${fileId})
          where id = ${fileId}`),
      ),
    );
  }
  for (const { namespace } of (await db.execute<Wrong>(sql`${wrongUsage} limit 1000`)).rows) {
    const message = "The namespace has a wrong count of bytes, files, versions or reservations.";
    await check.found({ kind: "count-wrong", namespace, message }, () =>
      changeNamespace(check.deps, namespace, (tx) => tx.execute(recount(namespace))),
    );
  }
}

const usage = sql`
  select namespace, sum(bytes) as bytes, sum(files) as files, sum(versions) as versions from (
    select namespace, size as bytes, 1 as files, 1 as versions from files
    union all
    select files.namespace, old.size, 0, 1 from file_versions old join files on files.id = old.file_id
  ) each group by namespace`;

function reserved(table: "kept" | "namespaces") {
  const namespace = sql.raw(`${table}.namespace`);
  return sql`select coalesce(sum(held.bytes), 0) from file_reservations held where held.namespace = ${namespace}`;
}

const wrongUsage = sql`
  select kept.namespace from namespaces kept left join (${usage}) real on real.namespace = kept.namespace
  where kept.bytes <> coalesce(real.bytes, 0) or kept.files <> coalesce(real.files, 0)
    or kept.versions <> coalesce(real.versions, 0) or kept.reserved <> (${reserved("kept")})`;

const recount = (namespace: string) => sql`
  update namespaces set bytes = real.bytes, files = real.files, versions = real.versions, reserved = (${reserved("namespaces")})
  from (select coalesce(sum(bytes), 0) as bytes, coalesce(sum(files), 0) as files, coalesce(sum(versions), 0) as versions
        from (${usage}) each where namespace = ${namespace}) real
  where namespaces.namespace = ${namespace}`;

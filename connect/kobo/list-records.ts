import { AppError } from "../../api/platform/errors.ts";
import type { KoboApi, KoboVersion } from "./kobo-api.ts";

/** Most records of a project that an import reads. */
export const mostRecords = 10_000;
const pageSize = 1_000;
/** Most records of a project that are compared. */
const mostListed = 1_000_000;

/** Read the list of a project's records page by page, without their answers. @throws KoboError */
export async function* pagesOf(kobo: KoboApi): AsyncGenerator<{ count: number; versions: KoboVersion[] }> {
  for (let start = 0; ; start += pageSize) {
    const page = await kobo.records(start, pageSize);
    yield page;
    // A list ends, whatever the server counts: one that gives the same page again and again would keep this process busy for ever.
    const isOver = !(start + page.versions.length < page.count) || start + pageSize >= mostListed;
    if (page.versions.length === 0 || isOver) return;
  }
}

/**
 * List the records of a project for an import.
 * @throws AppError RULE_VIOLATION when there are more than `mostRecords`; KoboError
 */
export async function listRecords(kobo: KoboApi): Promise<KoboVersion[]> {
  const found = new Map<string, KoboVersion>();
  for await (const { count, versions } of pagesOf(kobo)) {
    if (count > mostRecords) {
      throw tooMany(count);
    }
    for (const each of versions) found.set(each.rootUuid, each);
    if (found.size > mostRecords) throw tooMany(found.size);
  }
  return [...found.values()];
}

function tooMany(count: number): AppError {
  const message = `The project has ${count} records, and Hearth imports at most ${mostRecords} of one project.`;
  return new AppError("RULE_VIOLATION", message, { details: [{ rule: "row-limit", message }] });
}

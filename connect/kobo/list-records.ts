import { AppError } from "../../api/platform/errors.ts";
import type { KoboApi, KoboVersion } from "./kobo-api.ts";

/** Most records of a project that an import reads. */
export const mostRecords = 10_000;
const pageSize = 1_000;

/** Read the list of a project's records page by page, without their answers. @throws KoboError */
export async function* pagesOf(kobo: KoboApi): AsyncGenerator<{ count: number; versions: KoboVersion[] }> {
  for (let start = 0; ; start += pageSize) {
    const page = await kobo.records(start, pageSize);
    yield page;
    if (page.versions.length === 0 || start + page.versions.length >= page.count) return;
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
      const message = `The project has ${count} records, and Hearth imports at most ${mostRecords} of one project.`;
      throw new AppError("RULE_VIOLATION", message, { details: [{ rule: "row-limit", message }] });
    }
    for (const each of versions) found.set(each.rootUuid, each);
  }
  return [...found.values()];
}

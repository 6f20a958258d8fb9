import { AppError } from "../../api/platform/errors.ts";
import type { KoboApi, KoboVersion } from "./kobo-api.ts";

/** Most records of a project that an import or a check lists. */
export const mostRecords = 10_000;
const pageSize = 1_000;

/**
 * List the records of a project, without their answers.
 * @throws AppError RULE_VIOLATION when there are more than `mostRecords`; KoboError
 */
export async function listRecords(kobo: KoboApi): Promise<KoboVersion[]> {
  const found = new Map<string, KoboVersion>();
  for (let start = 0; ; start += pageSize) {
    const { count, versions } = await kobo.records(start, pageSize);
    if (count > mostRecords) {
      const message = `The project has ${count} records, and Hearth reads at most ${mostRecords} of one project.`;
      throw new AppError("RULE_VIOLATION", message, { details: [{ rule: "row-limit", message }] });
    }
    for (const each of versions) found.set(each.rootUuid, each);
    if (versions.length === 0 || start + versions.length >= count) return [...found.values()];
  }
}

const semantic = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/**
 * Find what CHANGELOG.md says about a release.
 * @param versions version of each package, by its name
 * @throws Error that lists everything that keeps these packages from being released together
 */
export function releaseNotes(versions: Readonly<Record<string, string>>, changelog: string): string {
  const [version = ""] = Object.values(versions);
  const problems = Object.entries(versions).flatMap(([name, each]) => [
    ...(semantic.test(each) ? [] : [`${name}: ${each} is not a semantic version`]),
    ...(each === version ? [] : [`${name} has version ${each}, and another package ${version}`]),
  ]);
  const section = changelog.split(/^## /m).find((part) => part.split("\n", 1)[0]?.trim() === version);
  const notes = section?.split("\n").slice(1).join("\n").trim();
  if (notes === undefined) problems.push(`CHANGELOG.md has no section ${version}`);
  else if (notes === "") problems.push(`CHANGELOG.md says nothing about ${version}`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return `${notes}\n`;
}

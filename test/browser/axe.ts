import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };
type Axe = {
  run: (context: Document, options: object) => Promise<{ violations: Violation[] }>;
};

const require = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"));
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/**
 * Find violations of some of axe's rules in a page. The axe script stays in the page for later runs: loading it, and
 * opening the empty page in which `AxeBuilder` joins the results of frames, take longer than the check. Our pages have
 * no frames.
 *
 * @param kind whether `values` are names of rules or of tags, the guidelines that rules belong to
 */
export async function findViolations(page: Page, values: readonly string[], kind: "rule" | "tag"): Promise<object[]> {
  if (page.frames().length > 1) throw new Error(`${page.url()} has a frame, which would not be looked at.`);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const violations = await page.evaluate(
    async (runOnly) => {
      const { axe } = window as unknown as { axe: Axe };
      return (await axe.run(document, { runOnly, resultTypes: ["violations"] })).violations;
    },
    { type: kind, values: [...values] },
  );
  return violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`),
  }));
}

import type { Page } from "playwright-core";
import { type Figure, percentile } from "../figures.ts";
import { heardOf, listen } from "./page-metrics.ts";
import { idle } from "./scroll.ts";
import { worst } from "./tables.ts";

const minutes = 60_000;

/** A file of new households; every hundredth row is invalid. */
function fileOf(name: string, rows: number) {
  const lines = Array.from({ length: rows }, (_, i) =>
    i % 100 === 99 ? `nobody,Lusaka,${i}` : `did:x:${name}/${i},region-${i % 12},${i % 5}`,
  );
  const buffer = Buffer.from(`did,region,children\n${lines.join("\n")}\n`);
  return { file: { name: `${name}.csv`, mimeType: "text/csv", buffer }, refused: Math.floor(rows / 100) };
}

/**
 * Import a file through the page like a field team: reload it half-way, wait for the end, and scroll through the
 * refused rows. @throws Error when a row was lost or registered twice
 */
export async function importThroughPage(page: Page, url: string, name: string, rows: number): Promise<Figure[]> {
  const { file, refused } = fileOf(name, rows);
  const count = new Intl.NumberFormat("en-GB");
  await page.goto(`${url}/console/implementer/households`);
  const input = page.locator('input[type="file"]');
  const another = page.getByRole("button", { name: "Import another file" });
  await input.or(another).first().waitFor({ state: "attached" });
  if (await another.isVisible()) await another.click();
  await input.setInputFiles(file);
  await listen(page);
  const begin = performance.now();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const progress = page.getByText(`of ${count.format(rows)},`);
  await progress.waitFor({ timeout: 5 * minutes });
  const sent = performance.now() - begin;
  const frames = await idle(page, Math.min(5_000, rows / 20));
  const first = await heardOf(page);
  await page.reload();
  await progress.waitFor({ timeout: minutes });
  await listen(page);
  await page
    .getByText(`${count.format(rows)} of ${count.format(rows)}, ${count.format(refused)} refused`)
    .waitFor({ timeout: 30 * minutes });
  const seconds = (performance.now() - begin) / 1_000;
  const table = page.getByRole("table", { name: "Refused rows" });
  await table.getByRole("cell", { name: "100", exact: true }).waitFor();
  const shown = await table.getByRole("row").count();
  const { longTasks } = await heardOf(page);
  return [
    { name: `import of ${count.format(rows)} households: the server has the file`, value: sent, unit: "ms" },
    { name: "… until every row is answered", value: seconds, unit: "s" },
    { name: "… frames of the page meanwhile, p95", value: percentile(frames, 0.95), unit: "ms" },
    { name: "… press on Import until the page shows it", value: worst(first.interactions), unit: "ms" },
    {
      name: "… longest task of the page, the whole time",
      value: worst([...first.longTasks, ...longTasks]),
      unit: "ms",
    },
    { name: `… rows in the page of ${count.format(refused)} refused`, value: shown, unit: "rows" },
  ];
}

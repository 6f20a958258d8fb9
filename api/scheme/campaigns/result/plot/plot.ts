import { html, raw } from "hono/html";
import type { Data, Mark, Scale, Spec, Transforms } from "vega";
import { type Decimal, displayText, levelPercent } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import { valueUnitOf } from "../inputs/emissions-terms.ts";
import { unitNames } from "../inputs/households.ts";
import type { CampaignResult } from "../result.ts";
import { type GroupPlot, plotOf, sampleOf } from "./data.ts";
import { boxMarks, distributionMarks, dotsOf, meanMarks } from "./marks.ts";
import { colours, font, sizes, styleSheet } from "./style.ts";
import { legendMarks, text } from "./text.ts";

const { width, plotLeft, plotWidth, header, band, footer } = sizes;
const height = header + groups.length * band.height + footer;
const names: Record<Group, string> = { reference: "Reference group", intervention: "Intervention group" };

export type PlotOptions = { campaignId: string; isClosed: boolean };

/** Draw both groups of a result as an SVG picture: the same bytes for the same result. */
export async function drawResult(result: CampaignResult, options: PlotOptions): Promise<string> {
  // 19 MB, which most processes never need.
  const { parse, View } = await import("vega");
  const view = new View(parse(specOf(result, options)), { renderer: "none" });
  try {
    return withAccessibleText(await view.toSVG(), result, options);
  } finally {
    view.finalize();
  }
}

/** A picture with a name and a description in place of hundreds of unnamed marks. */
async function withAccessibleText(svg: string, result: CampaignResult, options: PlotOptions): Promise<string> {
  const description = [
    savingText(result),
    ...groups.map((group) => `${names[group]}: ${factsOf(result, group).join(", ")}.`),
  ];
  const { campaignId } = options;
  const inside =
    await html`<title id="title">${titleText(campaignId)}</title><desc id="desc">${description.join(" ")}</desc><style>${raw(styleSheet)}</style>`;
  const opening = /^<svg ([^>]*)>/;
  return svg.replace(
    opening,
    (_, attributes) => `<svg role="img" aria-labelledby="title desc" ${attributes}>${inside}`,
  );
}

function specOf(result: CampaignResult, options: PlotOptions): Spec {
  const plots = { reference: plotOf(result.groups.reference), intervention: plotOf(result.groups.intervention) };
  const top = domainTop(Object.values(plots));
  const drawn = groups.map((group) => ({ group, plot: plots[group], dots: dotsOf(plots[group], plotWidth / top) }));
  const dense = drawn.filter(({ dots, plot }) => dots === null && plot.values.length > 0).map(({ group }) => group);
  return {
    width,
    height,
    padding: 0,
    autosize: "none",
    background: colours.paper,
    config: { text: { font, fontSize: 12, fill: colours.ink }, axis: axisStyle },
    data: drawn.flatMap(dataOf),
    scales: [{ name: "x", type: "linear", domain: [0, top], range: [0, plotWidth] }, ...dense.map(densityScale)],
    marks: [
      ...headerMarks(result, options),
      plotArea(
        groups.flatMap((group, index) => bandMarks(group, index * band.height, dense.includes(group))),
        unitNames[valueUnitOf(result.campaign.terms)],
      ),
      ...groups.flatMap((group, index) => labelMarks(group, header + index * band.height, result)),
      ...legendMarks({
        level: levelPercent(result.campaign.convention),
        dots: dense.length < groups.length,
        densities: dense.length > 0,
      }),
    ],
  };
}

/** The part with the axis, within which all is at its value. */
function plotArea(marks: Mark[], unit: string): Mark {
  return {
    type: "group",
    encode: {
      enter: {
        x: { value: plotLeft },
        y: { value: header },
        width: { value: plotWidth },
        height: { value: height - header - footer },
      },
    },
    // The length of grid lines.
    signals: [{ name: "height", value: height - header - footer }],
    axes: [{ orient: "bottom", scale: "x", grid: true, tickCount: 8, title: `Fuel, kg per ${unit} per day` }],
    marks,
  };
}

const axisStyle = {
  domainColor: colours.muted,
  tickColor: colours.muted,
  labelColor: colours.muted,
  titleColor: colours.ink,
  gridColor: colours.grid,
  labelFont: font,
  titleFont: font,
  labelFontSize: 11,
  titleFontSize: 12,
  titleFontWeight: "normal",
  aria: false,
} as const;

/** From nothing to just above all that is drawn, so that lengths compare. */
function domainTop(plots: GroupPlot[]): number {
  const most = Math.max(...plots.flatMap(({ values, bounds }) => [values.at(-1) ?? 0, bounds?.high ?? 0]));
  return most > 0 ? most * 1.04 : 1;
}

type Drawn = { group: Group; plot: GroupPlot; dots: ReturnType<typeof dotsOf> };

function dataOf({ group: name, plot, dots }: Drawn): Data[] {
  const { values, outliers, mean, bounds, box } = plot;
  const marked = dots?.filter(({ isOutlier }) => isOutlier) ?? [...outliers].map((value) => ({ value, dy: 0 }));
  const data: Data[] = [
    { name: `${name}-dots`, values: dots?.filter(({ isOutlier }) => !isOutlier) ?? [] },
    { name: `${name}-outliers`, values: marked },
    { name: `${name}-mean`, values: mean === null ? [] : [{ mean }] },
    { name: `${name}-bounds`, values: bounds === null ? [] : [{ ...bounds, low: Math.max(0, bounds.low) }] },
    { name: `${name}-box`, values: box === null ? [] : [box] },
  ];
  if (dots !== null) return data;
  const extent: [number, number] = [values[0] ?? 0, values.at(-1) ?? 1];
  const sample = sampleOf(values).map((value) => ({ value }));
  const estimate: Transforms = { type: "kde", field: "value", extent, steps: 240, as: ["value", "density"] };
  return [...data, { name: `${name}-density`, values: sample, transform: [estimate] }];
}

function densityScale(name: Group): Scale {
  const domain = { data: `${name}-density`, field: "density" };
  return { name: `${name}-density`, type: "linear", domain, range: [0, band.distribution / 2], zero: true };
}

function bandMarks(group: Group, top: number, isDense: boolean): Mark[] {
  const colour = colours[group];
  return [
    ...distributionMarks(group, colour, { y: top + band.middle, isDense }),
    ...boxMarks(group, colour, top),
    ...meanMarks(group, top),
  ];
}

function labelMarks(group: Group, top: number, result: CampaignResult): Mark[] {
  return [
    text(names[group], { y: top + 44, size: 14, bold: true, fill: colours[group] }),
    ...factsOf(result, group).map((fact, line) => text(fact, { y: top + 64 + line * 18 })),
  ];
}

const places = 2;
const shown = (value: Decimal) => value.toFixed(places);

function titleText(campaignId: string): string {
  return `Fuel use in campaign ${campaignId}`;
}

/** Write the sentences next to a group: number, mean, bounds, outliers. */
function factsOf({ groups: all, campaign }: CampaignResult, group: Group): string[] {
  const { statistics } = all[group];
  const { n, mean, lowerBound, upperBound, outliers } = statistics;
  const facts = [`n = ${n} of ${campaign.sampleSize} sampled`];
  if (mean === null) return [...facts, "nothing measured yet"];
  facts.push(`mean ${shown(mean)} kg a day`);
  if (lowerBound !== null && upperBound !== null)
    facts.push(`${levelPercent(statistics.convention)} % bounds ${shown(lowerBound)} to ${shown(upperBound)}`);
  if (outliers.length > 0)
    facts.push(outliers.length === 1 ? "1 outlier, counted" : `${outliers.length} outliers, counted`);
  return facts;
}

function savingText({ saving, campaign }: CampaignResult): string {
  const { mean, share, lowerBound, upperBound } = saving;
  if (mean === null) return "No saving is known yet: both groups need measurements.";
  const percent = share === null ? "" : ` (${displayText(share.times(100), 1)} %)`;
  const bounds =
    lowerBound === null || upperBound === null
      ? ""
      : `, ${levelPercent(campaign.convention)} % bounds ${shown(lowerBound)} to ${shown(upperBound)} (${campaign.convention})`;
  return `Saving ${shown(mean)} kg per ${unitNames[valueUnitOf(campaign.terms)]} per day${percent}${bounds}.`;
}

function headerMarks(result: CampaignResult, { campaignId, isClosed }: PlotOptions): Mark[] {
  const title = text(titleText(campaignId), { y: 30, size: 18, bold: true, limit: width - 48 });
  const saving = text(savingText(result), { y: 54, fill: colours.muted, size: 13 });
  const open = text("The campaign is open: these figures may change.", { y: 74, fill: colours.muted, size: 13 });
  return isClosed ? [title, saving] : [title, saving, open];
}

import { decimal, displayText } from "../../emissions/index.ts";
import type { DataRoom } from "../dataroom/data-room.ts";
import type { DrawDocument } from "../draw/document-schema.ts";
import type { Finding } from "../findings/acts.ts";
import { groups } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import { statedFigureProblems } from "../result/flags/stated-figures.ts";
import { valueUnitOf } from "../result/inputs/emissions-terms.ts";
import { unitNames } from "../result/inputs/households.ts";
import { adjustmentNames } from "../result/record.ts";
import type { CampaignResultFigures } from "../result/schemas.ts";
import type { MissingRow, ReplacementRow } from "../tables.ts";
import type { CampaignTerms } from "../terms/terms.ts";
import { type Cell, PdfWriter, type Table } from "./pdf-writer.ts";

/** Everything that a monitoring report shows. */
export type ReportFacts = {
  room: DataRoom;
  row: CampaignRow;
  figures: CampaignResultFigures;
  planId: string;
  implementer: { did: string | null; name: string | null };
  draw: DrawDocument;
  amendments: readonly { version: number; reason: string; transactionHash: string }[];
  replaced: readonly ReplacementRow[];
  missing: readonly MissingRow[];
  carried: readonly { campaignId: string; finding: Finding }[];
  /** Time of the block that closed the campaign. */
  closedAt: Date;
};

/** Decimals that the report shows; the data room has every digit. */
const places = 6;
const mono = (text: string): Cell => ({ text, mono: true });
const titleOf = { reference: "Reference", intervention: "Intervention" } as const;

/** Write the monitoring report of a closed campaign. The same facts give the same bytes. */
export async function writeReport(facts: ReportFacts): Promise<Buffer> {
  const { row, implementer, closedAt, room } = facts;
  const writer = await PdfWriter.open({
    title: `Monitoring report ${row.campaignId}`,
    author: implementer.name ?? implementer.did ?? "",
    subject: `Kitchen performance test ${row.campaignId}, ${row.startDate} to ${row.endDate}`,
    createdAt: closedAt,
  });
  titlePage(writer, facts);
  writer.newPage();
  for (const section of sections) section(writer, facts);
  return writer.end(`data room ${room.hash.slice(0, 18)}…`);
}

const sections = [
  summary,
  projectSection,
  sampleSection,
  drawSection,
  resultSection,
  reductionSection,
  adjustmentSection,
  deviceSection,
  parameterSection,
  positionSection,
  siblingSection,
  flagSection,
  repetitionSection,
];

type Reduction = CampaignResultFigures["emissions"]["reductions"][number];

/** The reduction by the committed method; the first where none was committed. */
function committedReduction({ figures }: ReportFacts): Reduction | undefined {
  const { reductions, terms } = figures.emissions;
  return reductions.find(({ method }) => method === terms.method) ?? reductions[0];
}

function titlePage(writer: PdfWriter, facts: ReportFacts): void {
  const { row, planId, implementer, room, figures } = facts;
  const reduction = committedReduction(facts);
  const method =
    figures.emissions.terms.method === undefined
      ? "none committed"
      : `${reduction?.title} (version ${reduction?.version})`;
  writer.titlePage("Monitoring report", `Kitchen performance test ${row.campaignId}`, [
    ["Project (monitoring plan)", planId],
    ["Implementer", [implementer.name, implementer.did].filter(Boolean).join(", ")],
    ["Methodology", method],
    ["Test period", `${row.startDate} to ${row.endDate}`],
    ["Vintage", `${shown(figures.emissions.terms.vintage) || row.endDate.slice(0, 4)}`],
    ["Certifiable emission reduction", certifiableText(facts, reduction)],
    ["Result (SHA-256, on chain)", mono(row.resultHash ?? "")],
    ["Data room (SHA-256)", mono(room.hash)],
    ["Closed", facts.closedAt.toISOString()],
  ]);
}

function certifiableText({ room }: ReportFacts, reduction: Reduction | undefined): string {
  const isOnRecord = statedFigureProblems(room.closed.document.record).length === 0;
  const er = isOnRecord ? (reduction?.certifiable.er ?? null) : null;
  return er === null ? "none: see section 1" : `${shown(er)} tCO₂e a year`;
}

function summary(writer: PdfWriter, facts: ReportFacts): void {
  const reduction = committedReduction(facts);
  writer.heading("1  Summary");
  if (reduction === undefined) {
    writer.paragraph("No method calculates a reduction.");
    return;
  }
  const { certifiable, er } = reduction;
  const problems = [...certifiable.problems, ...statedFigureProblems(facts.room.closed.document.record)];
  const basis =
    certifiable.basis === "measured"
      ? "the measured households"
      : "the sensitivity to households without a measurement";
  writer.table({
    widths: [2, 1.2],
    rows: [
      ["Emission reduction as measured, tCO₂e a year", shown(er)],
      [
        "Sensitivity: with missing households counted against the project, tCO₂e a year",
        shown(sensitivityOf(facts, reduction)),
      ],
      [`Certifiable, from ${basis}, tCO₂e a year`, problems.length > 0 ? "none" : shown(certifiable.er)],
    ],
  });
  if (problems.length === 0) {
    writer.paragraph("Nothing prevents a certificate of this result.");
    return;
  }
  writer.subheading("What prevents a certificate");
  writer.table({
    widths: [1, 3],
    header: ["Rule", "Reason"],
    rows: problems.map(({ rule, message }) => [rule, message]),
  });
}

function sensitivityOf({ figures }: ReportFacts, { method }: Reduction) {
  return figures.sensitivity.reductions.find((each) => each.method === method)?.er;
}

function projectSection(writer: PdfWriter, facts: ReportFacts): void {
  const { row, planId, implementer, figures, amendments } = facts;
  const terms = Object.entries(figures.emissions.terms).map(([name, value]): Cell[] => [name, shown(value)]);
  writer.heading("2  Project and terms");
  writer.table({
    widths: [1, 2],
    rows: [
      ["Monitoring plan", planId],
      ["Implementer", implementer.did ?? "none"],
      ["Campaign", `${row.campaignId}, number ${row.campaign} on chain`],
      ["Terms committed in transaction", mono(row.transactionHash)],
      ["Season", row.terms.season ?? "not stated"],
      ["Version of the terms", String(row.termsVersion)],
    ],
  });
  writer.subheading("Terms of the emission reduction, committed before the draw");
  writer.table({ widths: [1, 2], header: ["Term", "Value"], rows: terms.length > 0 ? terms : [["none", ""]] });
  if (amendments.length === 0) return;
  writer.subheading("Amendments before the draw");
  writer.table({
    widths: [0.6, 2, 3],
    header: ["Version", "Reason", "Transaction"],
    rows: amendments.map(({ version, reason, transactionHash }) => [String(version), reason, mono(transactionHash)]),
  });
}

function sampleSection(writer: PdfWriter, { row, figures }: ReportFacts): void {
  const { confidence } = figures;
  const unit =
    row.terms.logConvention === "calendar-days" ? "one per calendar day" : "one per interval between two days";
  const logs = row.terms.days === undefined ? unit : `${row.terms.days} of each household, ${unit}`;
  writer.heading("3  Sample design");
  writer.table({
    widths: [1.4, 1, 1],
    header: ["", "Reference", "Intervention"],
    rows: [
      ["Households in the frame", String(row.frameSizes.reference), String(row.frameSizes.intervention)],
      ["Households to measure", String(row.sampleSize), String(row.sampleSize)],
      ["Households drawn, with replacements", String(row.drawnTo.reference), String(row.drawnTo.intervention)],
      ["Households measured", shown(figures.groups.reference.n), shown(figures.groups.intervention.n)],
      [
        "Sample that the variation needs",
        shown(figures.groups.reference.requiredSampleSize),
        shown(figures.groups.intervention.requiredSampleSize),
      ],
    ],
  });
  strataTable(writer, row.terms.sampling?.strata);
  writer.paragraph(
    `Confidence ${shown(confidence.level)}, wanted precision ${shown(confidence.precision)}, convention ${confidence.convention}.${samplingText(row.terms.sampling)} Daily logs: ${logs}. ${figures.combination}`,
  );
}

function strataTable(writer: PdfWriter, strata: NonNullable<CampaignTerms["sampling"]>["strata"]): void {
  if (strata === undefined) return;
  writer.subheading("Strata");
  writer.table({
    widths: [1, 1.6, 1, 1, 1],
    header: ["Stratum", "Households", "Reference frame", "Intervention frame", "To measure of each"],
    rows: strata.map(({ id, region, people, sampleSize, frames }) => [
      id,
      [region, people && `${people.from ?? 1} to ${people.to ?? "any number of"} people`].filter(Boolean).join(", "),
      String(frames.reference.size),
      String(frames.intervention.size),
      String(sampleSize),
    ]),
  });
}

function samplingText(sampling: CampaignTerms["sampling"]): string {
  if (sampling === undefined) return "";
  const { profile, coefficientOfVariation, measured, dropOut, secondParty } = sampling;
  const before =
    measured === undefined
      ? ""
      : ` Campaign ${measured.campaignId} had measured ${measured.coefficientOfVariation} in the ${measured.group} group.`;
  const party = secondParty === undefined ? "" : ` Committed second party of the draw: ${secondParty}.`;
  return ` Sampling profile ${profile}, planned for a coefficient of variation of ${coefficientOfVariation} and a drop-out of ${dropOut}.${before}${party}`;
}

function drawSection(writer: PdfWriter, { draw }: ReportFacts): void {
  writer.heading("4  Draw");
  if (draw.draw === null) {
    writer.paragraph("The campaign was not drawn.");
    return;
  }
  const { drawBlock, blockHash, seed, secrets, twoParties } = draw.draw;
  writer.paragraph(
    twoParties
      ? "Neither party alone could have chosen the sample: the seed needs the secrets of both and the hash of a later block."
      : "One party alone could have chosen the sample. No certificate can be made from this result.",
  );
  writer.table({
    widths: [1, 2.6],
    rows: [
      ["Draw block", String(drawBlock)],
      ["Hash of the block", mono(blockHash)],
      ["Operator's secret", mono(secrets.operator)],
      ["Second party's secret", mono(secrets.secondParty ?? "none")],
      ["Seed", mono(seed)],
      ["Root of the reference frame", mono(draw.groups.reference.root)],
      ["Root of the intervention frame", mono(draw.groups.intervention.root)],
      ["Contract", mono(`${draw.contract} on chain ${draw.chainId}`)],
    ],
  });
  discardedTable(writer, draw.discarded ?? []);
  writer.paragraph(`Anyone can verify the draw: npm run verify-draw -- ${draw.campaignId}`);
}

/** Each draw that was discarded before the one that counts. */
function discardedTable(writer: PdfWriter, discarded: NonNullable<DrawDocument["discarded"]>): void {
  if (discarded.length === 0) return;
  writer.subheading("Draws that were discarded");
  const rows = discarded.map(({ round, reason, operator, drawBlock, transactionHash }) => [
    String(round),
    reason,
    String(drawBlock),
    mono(operator),
    mono(transactionHash),
  ]);
  writer.table({
    widths: [0.5, 1, 0.7, 1.5, 2],
    header: ["Round", "Reason", "Block", "Operator", "Transaction"],
    rows,
  });
}

const statisticNames = {
  n: "Households",
  claims: "Claims",
  mean: "Mean",
  standardDeviation: "Standard deviation",
  coefficientOfVariation: "Coefficient of variation",
  standardError: "Standard error",
  halfWidth: "Half-width of the confidence interval",
  lowerBound: "Lower bound",
  upperBound: "Upper bound",
  precision: "Precision (half-width ÷ mean)",
  meets9010: "90/10 is met",
} as const;

function resultSection(writer: PdfWriter, { figures }: ReportFacts): void {
  const { reference, intervention } = figures.groups;
  writer.heading("5  Results");
  const mass = figures.dryMass === undefined ? "kg" : "kg of dry mass";
  const unit = unitNames[valueUnitOf(figures.emissions.terms)];
  writer.subheading(`Fuel, ${mass} per ${unit} and day`);
  writer.table({
    widths: [1.6, 1, 1],
    header: ["", "Reference", "Intervention"],
    rows: Object.entries(statisticNames).map(([name, title]) => {
      const key = name as keyof typeof statisticNames;
      return [title, shown(reference[key]), shown(intervention[key])];
    }),
  });
  strataResults(writer, figures, unit);
  moistureTable(writer, figures);
  const rows = (["mean", "share", "halfWidth", "lowerBound", "upperBound", "precision", "conservative"] as const).map(
    (name): Cell[] => [savingNames[name], shown(figures.saving[name]), shown(figures.sensitivity.saving[name])],
  );
  writer.subheading(`Fuel saving, kg per ${unit} and day`);
  writer.table({ widths: [1.6, 1, 1], header: ["", "As measured", "Sensitivity"], rows });
  writer.paragraph(`Sensitivity: ${figures.sensitivity.assumption}`);
}

/** Moisture of each solid biomass, where its water does not count. */
function moistureTable(writer: PdfWriter, { dryMass }: ReportFacts["figures"]): void {
  if (dryMass === undefined) return;
  writer.subheading("Moisture of fuel");
  writer.table({
    widths: [1.2, 1, 1, 1, 1.2],
    header: ["Group", "Fuel", "As weighed, kg", "Dry mass, kg", "Mean moisture, wet basis"],
    rows: groups.flatMap((group) =>
      dryMass.groups[group].map(({ fuel, weighed, dry, moisture }): Cell[] => [
        titleOf[group],
        fuel,
        shown(weighed),
        shown(dry),
        shown(moisture),
      ]),
    ),
  });
  writer.paragraph(
    "Every fuel figure of this report is dry mass, of solid biomass. Mean moisture is the share of water in the mass as weighed.",
  );
}

function strataResults(writer: PdfWriter, { groups: described }: ReportFacts["figures"], unit: string): void {
  const rows = groups.flatMap((group) =>
    (described[group].strata ?? []).map(({ id, share, n, missing, mean, halfWidth, precision }): Cell[] => [
      titleOf[group],
      id,
      ...[share, n, missing, mean, halfWidth, precision].map(shown),
    ]),
  );
  if (rows.length === 0) return;
  writer.subheading(`Strata, kg per ${unit} and day`);
  writer.table({
    widths: [1.1, 1.1, 0.9, 0.9, 0.8, 0.9, 0.9, 0.9],
    header: ["Group", "Stratum", "Weight", "Households", "Missing", "Mean", "Half-width", "Precision"],
    rows,
  });
  writer.paragraph(
    "The figures of a group are the means of its strata, weighted by their shares of the intervention frame.",
  );
}

const savingNames = {
  mean: "Mean",
  share: "Share of the reference mean",
  halfWidth: "Half-width (Welch)",
  lowerBound: "Lower bound",
  upperBound: "Upper bound",
  precision: "Precision",
  conservative: "Value that a calculation may use",
} as const;

function reductionSection(writer: PdfWriter, facts: ReportFacts): void {
  const { figures } = facts;
  writer.heading("6  Emission reduction");
  writer.table({
    widths: [1.1, 1.2, 1.2, 1.1, 1.1, 1.25, 1.1],
    header: ["Method", "Baseline", "Project", "Leakage", "Reduction", "Sensitivity", "Certifiable"],
    rows: figures.emissions.reductions.map((each) => [
      `${each.method} ${each.version}`,
      ...[each.be, each.ae, each.le, each.er, sensitivityOf(facts, each), each.certifiable.er].map(
        (value) => shown(value) || "none",
      ),
    ]),
  });
  writer.paragraph("All in tCO₂e a year, by the convention above. The committed method decides.");
  const reduction = committedReduction(facts);
  if (reduction === undefined) return;
  writer.subheading(`Each step by ${reduction.title}`);
  writer.table({
    widths: [2.2, 1.2, 1, 2.4],
    header: ["Figure", "Value", "Unit", "Source"],
    rows: reduction.lines.map(({ name, value, unit, source }) => [name, shown(value), unit, source]),
  });
}

function adjustmentSection(writer: PdfWriter, facts: ReportFacts): void {
  const { figures } = facts;
  const reduction = committedReduction(facts);
  const adjusting = adjustmentNames(facts.room.closed.document.record, reduction?.method);
  const lines = (reduction?.lines ?? []).filter(({ name }) => adjusting.has(name));
  writer.heading("7  Adjustments and assumptions");
  writer.paragraph(
    figures.emissions.terms.baseline === "minimum-service"
      ? "The baseline is the minimum service level (option B)."
      : "The baseline is the measured use of fuel.",
  );
  if (lines.length > 0) {
    writer.table({
      widths: [2.2, 1.2, 1, 2.4],
      header: ["Adjustment", "Value", "Unit", "Source"],
      rows: lines.map(({ name, value, unit, source }) => [name, shown(value), unit, source]),
    });
  }
  const assumptions = reduction?.assumptions ?? [];
  writer.subheading("Assumptions");
  if (assumptions.length === 0) {
    writer.paragraph("Nothing was assumed: every term was committed before the draw.");
    return;
  }
  writer.table({
    widths: [1, 1, 3],
    header: ["Parameter", "Value", "Assumption"],
    rows: assumptions.map(({ parameter, value, message }) => [parameter, value, message]),
  });
}

function deviceSection(writer: PdfWriter, { room }: ReportFacts): void {
  const { devices, devicesTo, deviceHouseholds, usageSurvey = [], terms } = room.closed.document.record;
  writer.heading("8  Devices and usage");
  if (devices === undefined) {
    const stated =
      terms.units === undefined
        ? "one for each household of the intervention frame was assumed"
        : `the terms state ${terms.units} units`;
    writer.paragraph(`No device is registered in a household of the intervention frame; ${stated}.`);
  } else {
    writer.paragraph(
      `Counted from the registry of devices: ${devices.days} device-days, ${devices.newDevices} devices new in the year${devicesTo === undefined ? "" : `, to ${devicesTo}`}.`,
    );
    if (deviceHouseholds !== undefined) {
      const { inFrame, ofPlan } = deviceHouseholds;
      writer.paragraph(
        `${inFrame} of the ${ofPlan} households of the plan with a device in the year are in the intervention frame; only their devices count, one at a time for each.`,
      );
    }
    writer.table({
      widths: [1, 1, 1],
      header: ["Year of life", "Devices", "Device-days"],
      rows: devices.cohorts.map(({ age, devices: count, days }) => [String(age), String(count), String(days)]),
    });
  }
  if (usageSurvey.length === 0) return;
  writer.subheading("Usage survey of drawn devices");
  writer.table({
    widths: [1, 1, 1, 1, 1, 1],
    header: ["Year of life", "Frame", "Sample", "In use", "Not in use", "Missing"],
    rows: usageSurvey.map(({ age, devices: frame, sample, inUse, notInUse, missing }) =>
      [age, frame, sample, inUse, notInUse, missing].map(String),
    ),
  });
}

function parameterSection(writer: PdfWriter, { room }: ReportFacts): void {
  const parameters = room.closed.document.record.parameters ?? [];
  writer.heading("9  Parameters of the regulator");
  if (parameters.length === 0) {
    writer.paragraph("The terms refer to no recorded parameter; see the sources in section 6.");
    return;
  }
  writer.table({
    widths: [0.8, 1, 1, 1, 3],
    header: ["Id", "Kind", "Of", "Value", "Source"],
    rows: parameters.map(({ id, kind, key, value, source }) => [id, kind, key, value, source]),
  });
}

function positionSection(writer: PdfWriter, { replaced, missing }: ReportFacts): void {
  writer.heading("10  Missing and replaced positions");
  if (replaced.length + missing.length === 0) {
    writer.paragraph("Every drawn household was measured.");
    return;
  }
  const rows = groups.flatMap((group): Cell[][] => [
    ...replaced
      .filter((each) => each.group === group)
      .map(({ dropped, replacement, reason, evidence }): Cell[] => [
        titleOf[group],
        String(dropped),
        `replaced by ${replacement}`,
        reason,
        evidence ?? "",
      ]),
    ...missing
      .filter((each) => each.group === group)
      .map(({ position, reason, evidence }): Cell[] => [
        titleOf[group],
        String(position),
        "missing",
        reason,
        evidence ?? "",
      ]),
  ]);
  writer.table({ widths: [1, 0.7, 1.2, 1, 2], header: ["Group", "Position", "Ended", "Reason", "Evidence"], rows });
}

function siblingSection(writer: PdfWriter, { figures, carried }: ReportFacts): void {
  writer.heading("11  Sibling campaigns and carried findings");
  if (figures.siblings.length === 0)
    writer.paragraph("No other campaign of the implementer tested these households in this year.");
  else {
    const rows = figures.siblings.map(({ campaignId, status, discardedBy }) => [
      campaignId,
      discardedBy === undefined ? status : `${status} when its draw could be known, by ${discardedBy}`,
    ]);
    writer.table({ widths: [2, 1], header: ["Campaign", "Status at the close"], rows });
  }
  if (carried.length === 0) {
    writer.paragraph("Earlier campaigns left no forward action request open.");
    return;
  }
  writer.table({
    widths: [1.2, 0.6, 3],
    header: ["Campaign", "FAR", "Text"],
    rows: carried.map(({ campaignId, finding }) => {
      const { content } = finding.opened;
      return [campaignId, String(finding.number), content.act === "opened" ? content.text : ""];
    }),
  });
}

function flagSection(writer: PdfWriter, { figures }: ReportFacts): void {
  writer.heading("12  Flags and outliers");
  const outliers = groups.flatMap((group) =>
    figures.groups[group].outliers.map(({ position, value, side }): Cell[] => [
      titleOf[group],
      shown(position),
      `outlier, ${side}`,
      `${shown(value)} kg a day`,
    ]),
  );
  const flags = figures.flags.map(({ group, rule, message, positions }): Cell[] => [
    titleOf[group],
    shown(positions),
    rule,
    message,
  ]);
  const rows = [...flags, ...outliers];
  if (rows.length === 0) {
    writer.paragraph("Nothing was flagged, and no household is an outlier.");
    return;
  }
  writer.table({ widths: [1, 1, 1.2, 3], header: ["Group", "Positions", "Flag", "Detail"], rows });
}

function repetitionSection(writer: PdfWriter, { room }: ReportFacts): void {
  writer.heading("13  Data room");
  writer.paragraph(
    `The data room has ${room.files.length} files: every claim with its evidence, the draw, the terms, the parameters and each step. The SHA-256 of its manifest is below. npm run repeat repeats this result from it without the service.`,
  );
  const table: Table = { widths: [1, 2.6], rows: [["SHA-256 of the manifest", mono(room.hash)]] };
  writer.table(table);
  writer.paragraph(`Figures are rounded at ${places} decimals here; result.json in the data room has every digit.`);
}

/** Text of a value in a cell. The result's exact numbers are `JSON.rawJSON` values. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") {
    if ("rawJSON" in value) return displayText(decimal(String(value.rawJSON)), places);
    if (Array.isArray(value)) return value.map(shown).join(", ");
    return Object.entries(value)
      .map(([name, each]) => `${name} ${shown(each)}`)
      .join(", ");
  }
  return String(value);
}

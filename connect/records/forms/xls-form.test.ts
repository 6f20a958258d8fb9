import assert from "node:assert/strict";
import { test } from "node:test";
import excel from "exceljs";
import { householdForm } from "./household.ts";
import { kptForm } from "./kpt.ts";
import { toXlsForm } from "./xls-form.ts";

async function sheetsOf(bytes: Buffer): Promise<Record<string, Record<string, string>[]>> {
  const workbook = new excel.Workbook();
  await workbook.xlsx.load(bytes as never);
  const cellsOf = (row: excel.Row, count: number) => Array.from({ length: count }, (_, i) => row.getCell(i + 1).text);
  return Object.fromEntries(
    workbook.worksheets.map((sheet) => {
      const header = cellsOf(sheet.getRow(1), sheet.columnCount);
      const rows = (sheet.getRows(2, sheet.rowCount - 1) ?? []).map((row) => cellsOf(row, header.length));
      return [
        sheet.name,
        rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ""]).filter(([, cell]) => cell))),
      ];
    }),
  );
}

test("writes the registration of a household as a workbook", async () => {
  const { survey = [], settings, choices } = await sheetsOf(await toXlsForm(householdForm, "v1"));
  assert.deepEqual(survey[0], {
    type: "barcode",
    name: "did",
    "label::English (en)": "Household's DID",
    "label::Français (fr)": "DID du ménage",
    "label::Português (pt)": "DID do agregado familiar",
    "label::Kiswahili (sw)": "DID ya kaya",
    "hint::English (en)": "Scan or type the identifier that was given to this household.",
    "hint::Français (fr)": "Scannez ou tapez l'identifiant qui a été donné à ce ménage.",
    "hint::Português (pt)": "Leia ou digite o identificador que foi dado a este agregado familiar.",
    "hint::Kiswahili (sw)": "Changanua au andika kitambulisho ambacho kaya hii ilipewa.",
    required: "yes",
    constraint: "regex(., '^did:[a-z0-9]+:[!-~]+$')",
    "constraint_message::English (en)": "A DID is expected, such as did:example:household/7.",
    "constraint_message::Français (fr)": "Un DID est attendu, comme did:example:household/7.",
    "constraint_message::Português (pt)": "É esperado um DID, como did:example:household/7.",
    "constraint_message::Kiswahili (sw)": "DID inahitajika, kama did:example:household/7.",
  });
  assert.deepEqual(
    survey.map(({ type, name }) => `${type} ${name}`),
    [
      "barcode did",
      "text region",
      "begin_group people",
      ...["children", "women", "men", "elderly"].map((name) => `integer ${name}`),
      "end_group people",
      "geopoint place",
      "image photo",
      "image consent",
    ],
  );
  assert.equal(survey.at(-1)?.appearance, "signature");
  const title = { form_title: "Register a household", default_language: "English (en)" };
  const about = { ...title, form_id: "household-registration", version: "v1" };
  assert.deepEqual([settings, choices], [[about], []]);
});

test("writes the choices, repeats and limits of a KPT visit", async () => {
  const campaign = {
    campaignId: "KPT-1",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-02", durationDays: 1 },
    season: "dry",
    externalFactors: null,
    logConvention: "interval" as const,
  };
  const { survey = [], choices = [] } = await sheetsOf(await toXlsForm(kptForm(campaign as never), "v1"));
  const named = new Map(survey.map((row) => [row.name, row]));
  assert.equal(named.get("household")?.type, "select_one_from_file households.csv");
  assert.equal(named.get("basis")?.type, "select_one fuels_moisture_basis");
  assert.partialDeepStrictEqual(named.get("end"), {
    type: "decimal",
    constraint: ". >= 0 and . <= ../start + ../added",
  });
  assert.equal(named.get("piece1_point1")?.relevant, "../basis != ''");
  assert.deepEqual([named.get("basis")?.required, named.get("basis")?.relevant], [undefined, undefined]);
  assert.deepEqual(
    choices
      .filter(({ list_name: list }) => list === "day")
      .map((row) => [row.name, row["label::English (en)"], row["label::Français (fr)"]]),
    [
      ["0", "Day 0, 2024-02-01", "Jour 0, 2024-02-01"],
      ["1", "Day 1, 2024-02-02", "Jour 1, 2024-02-02"],
    ],
  );
  const opened = survey.filter(({ type }) => type?.startsWith("begin_")).length;
  assert.equal(survey.filter(({ type }) => type?.startsWith("end_")).length, opened);
});

test("asks the moisture of solid biomass where the campaign counts dry mass", async () => {
  const campaign = {
    campaignId: "KPT-1",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-02", durationDays: 1 },
    season: "dry",
    externalFactors: null,
    emissions: { fuelMass: "dry" },
  };
  const { survey = [] } = await sheetsOf(await toXlsForm(kptForm(campaign as never), "v1"));
  const basis = survey.find(({ name }) => name === "basis");
  assert.deepEqual([basis?.required, basis?.["hint::English (en)"]], ["yes", undefined]);
  assert.match(
    basis?.relevant ?? "",
    /^\(\.\.\/\.\.\/fuel = 'wood' or .*\) and \.\.\/\.\.\/start \+ \.\.\/\.\.\/added > 0$/,
  );
  assert.doesNotMatch(basis?.relevant ?? "", /charcoal/);
});

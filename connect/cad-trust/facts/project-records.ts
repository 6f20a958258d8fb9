import { type CadTrustRecord, keyOf } from "../model/record.ts";
import type { Profile, ProjectSettings } from "../settings/schemas.ts";

/** Keys of a project's records that others refer to. */
export type ProjectKeys = { project: string; methodology: string; location: string; validation: string | undefined };

/** Own id of a project's location. */
const locationId = (activityId: string, { country, region }: ProjectSettings["locations"][number]) =>
  [activityId, country, ...(region === undefined ? [] : [region])].join("/");

/** The keys of a project's records. */
export function keysOfProject({ activityId, methodologyCode, locations, validation }: ProjectSettings): ProjectKeys {
  const [location] = locations;
  return {
    project: keyOf("project", activityId),
    methodology: keyOf("project-methodology", `${activityId}/${methodologyCode}`),
    location: location === undefined ? "" : keyOf("location", locationId(activityId, location)),
    validation: validation && keyOf("validation", validation.id),
  };
}

/** Records that only the settings know: methodologies, the program, and each project with what belongs to it. */
export function projectRecords(profile: Profile): CadTrustRecord[] {
  const { methodologies, program, projects } = profile;
  const used = new Set(projects.map(({ methodologyCode }) => methodologyCode));
  const ofMethodologies = methodologies
    .filter(({ code }) => used.has(code))
    .map(({ code, name, version, date, link, type }) => ({
      key: keyOf("methodology", code),
      table: "methodology" as const,
      fields: {
        methodologyCode: code,
        methodologyName: name,
        methodologyVersion: version ?? null,
        methodologyDate: date ?? null,
        methodologyLink: link ?? null,
        methodologyType: type ?? null,
      },
      parents: {},
    }));
  const ofProgram = program && {
    key: keyOf("program", program.registryActivityId),
    table: "program" as const,
    fields: {
      programName: program.name,
      programRegistry: program.registry,
      programRegistryActivityId: program.registryActivityId,
      programRegistryProgramId: program.registryProgramId ?? null,
      programDescription: program.description ?? null,
    },
    parents: {},
  };
  return [
    ...ofMethodologies,
    ...(ofProgram === undefined ? [] : [ofProgram]),
    ...projects.flatMap((each) => recordsOfProject(profile, each, ofProgram?.key)),
  ];
}

function recordsOfProject(
  { registryName }: Profile,
  project: ProjectSettings,
  programKey: string | undefined,
): CadTrustRecord[] {
  const { activityId, methodologyCode, locations, estimations, coBenefits, validation } = project;
  const keys = keysOfProject(project);
  const parents = { cadTrustProjectId: keys.project };
  return [
    {
      key: keys.project,
      table: "project",
      fields: {
        projectRegistryName: registryName,
        projectId: activityId,
        projectCreditingProgram: project.creditingProgram ?? null,
        projectName: project.name,
        projectLink: project.link,
        projectDescription: project.description ?? null,
        projectSector: project.sectors,
        projectType: project.types,
        projectSubtype: project.subtype ?? null,
        projectStatus: project.status,
        projectStatusDate: project.statusDate,
        projectUnitMetric: project.unitMetric,
      },
      parents: programKey === undefined ? {} : { cadTrustProgramId: programKey },
    },
    ...locations.map((location) => ({
      key: keyOf("location", locationId(activityId, location)),
      table: "location" as const,
      fields: { locationCountry: location.country, locationRegion: location.region ?? null },
      parents,
    })),
    ...estimations.map(({ referenceNo, startDate, endDate, unitCount }) => ({
      key: keyOf("estimation", `${activityId}/${referenceNo}`),
      table: "estimation" as const,
      fields: {
        estimationStartDate: startDate,
        estimationEndDate: endDate,
        estimationUnitCount: unitCount,
        estimationReferenceNo: referenceNo,
      },
      parents,
    })),
    ...coBenefits.map((coBenefit) => ({
      key: keyOf("co-benefit", `${activityId}/${coBenefit}`),
      table: "co-benefit" as const,
      fields: { coBenefitId: coBenefit },
      parents,
    })),
    {
      key: keys.methodology,
      table: "project-methodology",
      fields: { projectMethodologyDate: project.methodologyDate ?? null },
      parents: { ...parents, cadTrustMethodologyId: keyOf("methodology", methodologyCode) },
    },
    ...(validation === undefined || keys.validation === undefined
      ? []
      : [
          {
            key: keys.validation,
            table: "validation" as const,
            fields: {
              validationId: validation.id,
              validationType: validation.type,
              validationBody: validation.body,
              validationDate: validation.date ?? null,
              validationCreditPeriodStartDate: validation.creditingPeriod?.startDate ?? null,
              validationCreditPeriodEndDate: validation.creditingPeriod?.endDate ?? null,
            },
            parents,
          },
        ]),
  ];
}

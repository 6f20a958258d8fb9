import type { RecordSource } from "../source.ts";
import type { FormKind } from "./question.ts";

export const formIds = {
  household: "household-registration",
  device: (planId: string) => `device-installation.${planId}`,
  kpt: (campaignId: string) => `kpt-visit.${campaignId}`,
  usage: (campaignId: string) => `usage-survey.${campaignId}`,
  delivery: "delivery",
};

/** Id of a collector's form; undefined when the collector lacks what the form is about. */
export function formIdOf({ campaignId, planId }: RecordSource, kind: FormKind): string | undefined {
  switch (kind) {
    case "household":
      return formIds.household;
    case "device":
      return planId === null ? undefined : formIds.device(planId);
    case "kpt":
      return campaignId === null ? undefined : formIds.kpt(campaignId);
    case "usage":
      return campaignId === null ? undefined : formIds.usage(campaignId);
    case "delivery":
      return formIds.delivery;
  }
}

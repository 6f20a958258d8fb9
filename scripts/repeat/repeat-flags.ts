import { z } from "zod";
import { type Flag, type FlagRule, firstFlagRules, flagRules } from "../../api/scheme/emissions/index.ts";
import { UnavailableError } from "../verifier-command.ts";
import { type Step, step } from "./step.ts";

const statedRules = z.object({
  record: z.object({ flagRules: z.array(z.string()).optional() }),
  figures: z.object({ flags: z.array(z.object({ rule: z.string() })).optional() }),
});

/** `named`: the rules that a result says it was flagged by, if it names them. `applied`: those by which its flags are repeated. */
export type FlagRules = { named: FlagRule[] | undefined; applied: FlagRule[] };

/**
 * Read by which rules a result was flagged. A result that names none was closed before results did: it was flagged by the first rules,
 * and by those of the flags that it has.
 * @throws UnavailableError where a rule is not known here: the result was closed by a newer version
 */
export function flagRulesOf(stated: object): FlagRules {
  const parsed = statedRules.safeParse(stated);
  if (!parsed.success) throw new UnavailableError("result.json is not the result of a campaign.");
  const { record, figures } = parsed.data;
  const named = record.flagRules;
  const used = (figures.flags ?? []).map(({ rule }) => rule);
  const unknown = [...(named ?? []), ...used].filter((rule) => !isFlagRule(rule));
  if (unknown.length > 0) {
    const rules = [...new Set(unknown)].join(", ");
    throw new UnavailableError(
      `The result was flagged by rules that this version does not know (${rules}). Repeat it with a newer version.`,
    );
  }
  const applied =
    named?.filter(isFlagRule) ?? flagRules.filter((rule) => firstFlagRules.includes(rule) || used.includes(rule));
  return { named: named === undefined ? undefined : applied, applied };
}

function isFlagRule(rule: string): rule is FlagRule {
  return flagRules.some((each) => each === rule);
}

/**
 * Tell what today's rules would flag in a result that was closed before they existed. They change no figure. It is a fault unless the
 * reader accepts it, because a result could leave out a rule's name to hide a flag.
 * @param today calculates the result's flags by all rules, and says whether the time of the draw is known; called only where a rule is later
 */
export function repeatFlagRules(
  { applied }: FlagRules,
  today: () => { flags: readonly Flag[]; knowsDrawTime: boolean },
  acceptEarlier: boolean,
): Step[] {
  const later = flagRules.filter((rule) => !applied.includes(rule));
  if (later.length === 0) return [];
  const { flags, knowsDrawTime } = today();
  const lines = flags
    .filter(({ rule }) => later.includes(rule))
    .map(({ rule, message }) => `Not flagged at the close, by the later rule ${rule}: ${message}`);
  const notes =
    !knowsDrawTime && later.includes("measured-before-draw")
      ? ["draw.json does not say when the draw was: nothing shows whether households were measured before it."]
      : [];
  const title = `Flags: by the ${applied.length} of ${flagRules.length} rules that the result was closed with`;
  return [acceptEarlier ? { ...step(title, []), notes: [...lines, ...notes] } : { ...step(title, lines), notes }];
}

"""
A second, independent calculation of campaigns, written from the methodologies and the rules of docs/emissions.md. It uses nothing
but Python's standard library. Reads {campaigns, metered} as JSON and writes the results as JSON; every figure is text.
"""

import json
import sys
from datetime import date, timedelta
from decimal import Decimal as D
from decimal import getcontext
from fractions import Fraction

from methodologies import CAMPAIGN_METHODS, IPCC, PRECISION, mecd
from special_functions import exact_lower_bound, t_quantile

getcontext().prec = 60
FUELS = [*IPCC, "electricity"]
TAIL = {"two-sided-90": D("0.05"), "one-sided-90": D("0.1"), "two-sided-95": D("0.025")}
GROUPS = ("reference", "intervention")
SAMPLE, DAYS, SURVEY, COHORT = 30, 3, 100, 30


def to_decimal(value: Fraction) -> D:
    return D(value.numerator) / D(value.denominator)


class Estimate:
    """A mean over strata with its half-width. `parts`: (variance of the weighted stratum mean, its degrees of freedom)."""

    def __init__(self, n: int, mean: Fraction, parts: list, convention: str):
        self.n, self.mean, self.parts = n, mean, parts
        variance = sum(part for part, _ in parts)
        if len(parts) == 1:
            freedom = Fraction(parts[0][1])
        elif variance == 0:
            freedom = Fraction(sum(each for _, each in parts))
        else:
            freedom = variance**2 / sum(part**2 / each for part, each in parts)
        self.freedom = to_decimal(freedom)
        self.error = to_decimal(variance).sqrt()
        self.half = self.error * t_quantile(TAIL[convention], self.freedom) if variance else D(0)
        self.middle = to_decimal(mean)

    def precision(self):
        return None if self.mean == 0 else self.half / abs(self.middle)

    def is_within(self, limit: D) -> bool:
        precision = self.precision()
        return precision is not None and precision <= limit

    def shown(self) -> dict:
        precision = self.precision()
        return {
            "n": self.n,
            "mean": str(self.middle),
            "standardError": str(self.error),
            "degreesOfFreedom": str(self.freedom),
            "halfWidth": str(self.half),
            "precision": None if precision is None else str(precision),
        }


def estimate(values: list, strata: list, convention: str):
    """`values`: (stratum, Fraction). None where a stratum has fewer than two."""
    mean, parts = Fraction(0), []
    for name, share in strata:
        here = [value for stratum, value in values if stratum == name]
        if len(here) < 2:
            return None
        average = sum(here) / len(here)
        spread = sum((value - average) ** 2 for value in here) / (len(here) - 1)
        mean += share * average
        parts.append((share**2 * spread / len(here), len(here) - 1))
    return Estimate(len(values), mean, parts, convention)


def count_devices(devices: list, period: dict) -> dict:
    """Day by day of life: each device has its ages between its anniversaries."""
    first, last = date.fromisoformat(period["from"]), date.fromisoformat(period["to"])
    ages: dict = {}
    new = 0
    for device in devices:
        installed = date.fromisoformat(device["installedOn"])
        gone = date.fromisoformat(device["retiredOn"]) if "retiredOn" in device else date.max
        new += first <= installed <= last
        age = 1
        start = installed
        while start < gone and start <= last:
            try:
                following = installed.replace(year=installed.year + age)
            except ValueError:
                following = date(installed.year + age, 3, 1)
            days = (min(following, gone, last + timedelta(days=1)) - max(start, first)).days
            if days > 0:
                seen = ages.setdefault(age, [0, 0])
                seen[0] += 1
                seen[1] += days
            start = following
            age += 1
    cohorts = [{"age": age, "devices": found[0], "days": found[1]} for age, found in sorted(ages.items())]
    return {"days": sum(each["days"] for each in cohorts), "cohorts": cohorts, "newDevices": new}


def count_surveyed_devices(devices: list, period: dict, surveyed_on: str) -> dict:
    """Each device in the cohort of its completed years on the survey's day, plus one."""
    first, last, on = (date.fromisoformat(day) for day in (period["from"], period["to"], surveyed_on))
    cohorts: dict = {}
    new = 0
    for device in devices:
        installed = date.fromisoformat(device["installedOn"])
        gone = date.fromisoformat(device["retiredOn"]) if "retiredOn" in device else date.max
        new += first <= installed <= last
        days = (min(gone, last + timedelta(days=1)) - max(installed, first)).days
        if days <= 0:
            continue
        completed = on.year - installed.year - ((on.month, on.day) < (installed.month, installed.day))
        cohort = cohorts.setdefault(max(0, completed) + 1, {"devices": 0, "days": 0, "drawable": 0})
        cohort["devices"] += 1
        cohort["days"] += days
        cohort["drawable"] += installed <= on < gone
    listed = [{"age": age, **cohort} for age, cohort in sorted(cohorts.items())]
    return {"days": sum(each["days"] for each in listed), "cohorts": listed, "newDevices": new}


def households(campaign: dict, group: str, days: int) -> list:
    """(position, stratum, fuel → kg a day) of the measured households."""
    return [
        (each["position"], each.get("stratum"), {fuel: Fraction(kg) / days for fuel, kg in each["burnt"].items()})
        for each in campaign["groups"][group]
        if "burnt" in each
    ]


def pair_counts(campaign: dict, measured: dict) -> dict:
    """Counts of pairs, the same for both groups: a pair is measured when both of its households' values are."""
    known = len(set.intersection(*({position for position, _, _ in measured[group]} for group in GROUPS)))
    drawn = {group: len(campaign["groups"][group]) for group in GROUPS}
    return {group: {"drawn": drawn[group], "measured": known, "missing": drawn[group] - known} for group in GROUPS}


def filled(campaign: dict, days: int) -> dict:
    """Both groups with the missing positions counted against the programme."""
    before = households(campaign, "reference", days)
    groups = {group: households(campaign, group, days) for group in GROUPS}
    for each in campaign["groups"]["reference"]:
        if "burnt" not in each:
            groups["reference"].append((each["position"], each.get("stratum"), {}))
    for each in campaign["groups"]["intervention"]:
        if "burnt" in each:
            continue
        if campaign["design"] == "paired":
            alike = [use for position, _, use in before if position == each["position"]]
        else:
            alike = [use for _, stratum, use in before if stratum == each.get("stratum")]
        use = {fuel: sum(one.get(fuel, Fraction(0)) for one in alike) / len(alike) for fuel in FUELS} if alike else {}
        groups["intervention"].append((each["position"], each.get("stratum"), use))
    return groups


def weights(campaign: dict) -> list:
    """(stratum, its share of the population): as stated, or its households of all."""
    strata = campaign.get("strata", [])
    if not strata:
        return [(None, Fraction(1))]
    everyone = sum(Fraction(each["households"]) for each in strata if "households" in each)
    return [
        (each["name"], Fraction(each["share"]) if "share" in each else Fraction(each["households"]) / everyone)
        for each in strata
    ]


def largest_gap(campaign: dict, measured: dict) -> Fraction:
    """The largest share of missing positions (of pairs in a paired design) of a group, or of a stratum of a group."""
    gaps = [Fraction(0)]
    for stratum, _ in [(None, None), *weights(campaign)]:
        inside = lambda each, name: stratum is None or name == stratum  # noqa: E731
        part = {
            **campaign,
            "groups": {g: [e for e in campaign["groups"][g] if inside(e, e.get("stratum"))] for g in GROUPS},
        }
        known = {g: [e for e in measured[g] if inside(e, e[1])] for g in GROUPS}
        for group in GROUPS:
            drawn = len(part["groups"][group])
            missing = drawn - len(known[group])
            if campaign["design"] == "paired":
                missing = pair_counts(part, known)[group]["missing"]
            if drawn:
                gaps.append(Fraction(missing, drawn))
    return max(gaps)


def minimum(campaign: dict, name: str, own):
    """What a method's test must reach: the method's own minimum, or a stricter one that is on record."""
    recorded = [D(each["value"]) for each in campaign.get("minimums", []) if each["name"] == name]
    return min([own, *recorded]) if name == "precision" else max([own, *recorded])


def read(campaign: dict, groups: dict, burnt: list, devices: dict):
    """What both groups burn and the reduction; None where it is unknown."""
    convention = campaign["convention"]
    strata = weights(campaign)
    of, limit = PRECISION[campaign["method"]]
    limit = min(minimum(campaign, "precision", limit), campaign.get("precision", limit))
    fuels, baseline, project = [], [], []
    for fuel in burnt:
        values = {group: [(s, use.get(fuel, Fraction(0))) for _, s, use in groups[group]] for group in GROUPS}
        reference, intervention = (estimate(values[group], strata, convention) for group in GROUPS)
        if reference is None or intervention is None:
            return None
        if campaign["design"] == "paired":
            after = {position: use for position, _, use in groups["intervention"]}
            pairs = [
                (s, use.get(fuel, Fraction(0)) - after[position].get(fuel, Fraction(0)))
                for position, s, use in groups["reference"]
                if position in after
            ]
            saving = estimate(pairs, strata, convention)
            if saving is None:
                return None
        else:
            saving = Estimate(
                reference.n + intervention.n,
                reference.mean - intervention.mean,
                reference.parts + intervention.parts,
                convention,
            )
        if campaign["design"] == "paired" or of == "saving":
            saved = saving.middle if saving.is_within(limit) else saving.middle - saving.half
            before, later = reference.middle, max(D(0), reference.middle - saved)
        else:
            before = reference.middle if reference.is_within(limit) else max(D(0), reference.middle - reference.half)
            later = intervention.middle if intervention.is_within(limit) else intervention.middle + intervention.half
        fuels.append(
            {
                "fuel": fuel,
                "reference": reference.shown(),
                "intervention": intervention.shown(),
                "saving": saving.shown(),
                "baseline": str(before),
                "project": str(later),
            }
        )
        given = dict(campaign["factors"].get(fuel, {}))
        if "dryNcv" in given:
            water = given.pop("moisture")
            given["NCV"] = given.pop("dryNcv") * (1 - water) - D("0.00244") * water
        # A value of a person or a standard adult counts for as many as a household has.
        people = D(campaign["value"]["perHousehold"]) if "value" in campaign else D(1)
        if reference.mean > 0:
            baseline.append((fuel, before * people, given))
        if intervention.mean > 0 or later > 0:
            project.append((fuel, later * people, given))
    if not baseline:
        return None
    results = CAMPAIGN_METHODS[campaign["method"]](
        baseline, project, devices, campaign["parameters"], campaign.get("gwp", "AR5")
    )
    return fuels, results


def shown_reading(reading):
    if reading is None:
        return None
    fuels, results = reading
    return {"fuels": fuels, "result": dict(zip(("baseline", "project", "leakage", "reductions"), map(str, results)))}


def evaluate(campaign: dict) -> dict:
    test = campaign["test"]
    days = (date.fromisoformat(test["endDate"]) - date.fromisoformat(test["startDate"])).days
    days += test["dayCount"] == "calendar"
    if "surveyedOn" in campaign:
        counted = count_surveyed_devices(campaign["devices"], campaign["creditingPeriod"], campaign["surveyedOn"])
    else:
        counted = count_devices(campaign["devices"], campaign["creditingPeriod"])
    surveys = {each["age"]: each for each in campaign["usageSurvey"]}
    tail = TAIL[campaign["convention"]]
    bounds = []
    for cohort in counted["cohorts"]:
        survey = surveys.get(cohort["age"])
        bound = D(0) if survey is None else exact_lower_bound(survey["inUse"], survey["surveyed"], tail)
        bounds.append((cohort, bound))
    usage = sum((bound * cohort["days"] for cohort, bound in bounds), D(0)) / counted["days"] if counted["days"] else D(0)
    devices = {
        "days": counted["days"],
        "new": counted["newDevices"],
        "usage": usage,
        "people": D(campaign["householdSize"]),
    }
    measured = {group: households(campaign, group, days) for group in GROUPS}
    burnt = [fuel for fuel in FUELS if any(use.get(fuel, 0) > 0 for group in GROUPS for _, _, use in measured[group])]
    counts = {}
    for group in GROUPS:
        drawn, known = len(campaign["groups"][group]), len(measured[group])
        counts[group] = {"drawn": drawn, "measured": known, "missing": drawn - known}
    as_measured = read(campaign, measured, burnt, devices)
    complete = all(counts[group]["missing"] == 0 for group in GROUPS)
    with_missing = as_measured if complete else read(campaign, filled(campaign, days), burnt, devices)
    judged = pair_counts(campaign, measured) if campaign["design"] == "paired" else counts
    gap = largest_gap(campaign, measured)
    reduction = None if as_measured is None else as_measured[1][3]
    if reduction is not None and gap > Fraction(5, 100):
        reduction = None if with_missing is None else min(reduction, with_missing[1][3])

    reasons = []
    if days < minimum(campaign, "days", DAYS):
        reasons.append("test days-reach-minimum")
    for group in GROUPS:
        c = judged[group]
        if c["drawn"] and Fraction(c["missing"], c["drawn"]) > Fraction(10, 100):
            reasons.append(f"groups.{group} missing-at-most-tenth")
        if c["measured"] < minimum(campaign, "sample", SAMPLE):
            reasons.append(f"groups.{group} minimum-sample")
        for stratum in campaign.get("strata", []):
            if sum(s == stratum["name"] for _, s, _ in measured[group]) < 2:
                reasons.append(f"groups.{group} stratum-measured")
    if not counted["cohorts"]:
        reasons.append("devices devices-present")
    for cohort in counted["cohorts"]:
        surveyed = surveys.get(cohort["age"], {"surveyed": 0})["surveyed"]
        if surveyed < min(minimum(campaign, "usage-cohort", COHORT), cohort.get("drawable", cohort["devices"])):
            reasons.append("usageSurvey cohort-reaches-minimum")
        if surveyed > cohort["devices"]:
            reasons.append("usageSurvey cohort-has-devices")
    everyone = sum(cohort.get("drawable", cohort["devices"]) for cohort in counted["cohorts"])
    if sum(each["surveyed"] for each in campaign["usageSurvey"]) < min(minimum(campaign, "usage-survey", SURVEY), everyone):
        reasons.append("usageSurvey survey-reaches-minimum")
    if reduction is None:
        reasons.append("groups reduction-known")
    elif reduction <= 0:
        reasons.append("groups reduction-positive")

    return {
        "days": days,
        "devices": counted,
        "usage": {"usage": str(usage), "bounds": [{"age": c["age"], "bound": str(b)} for c, b in bounds]},
        "groups": counts,
        "asMeasured": shown_reading(as_measured),
        "withMissing": shown_reading(with_missing),
        "certifiable": None if reasons else str(reduction),
        "reasons": sorted(reasons),
    }


def main() -> None:
    given = json.load(sys.stdin, parse_float=D, parse_int=lambda text: int(text))
    campaigns = [exact(each) for each in given["campaigns"]]
    metered = [exact(each) for each in given["metered"]]
    names = ("baseline", "project", "leakage", "reductions")
    json.dump(
        {
            "campaigns": [evaluate(each) for each in campaigns],
            "metered": [dict(zip(names, map(str, mecd(each["inputs"], each["inputs"].get("gwp", "AR5"))))) for each in metered],
        },
        sys.stdout,
    )


WHOLE = {"position", "age", "surveyed", "inUse"}


def exact(value, name: str = ""):
    """Every number but counts as a Decimal."""
    if isinstance(value, dict):
        return {key: exact(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [exact(each, name) for each in value]
    return D(value) if isinstance(value, int) and name not in WHOLE else value


if __name__ == "__main__":
    main()

"""
A second, independent repetition of closed campaigns from their data rooms. Reads {rooms: [{record, figures}]} as JSON from standard
input, or the ZIP that is named, and writes every difference as JSON. Only Python's standard library is used.
"""

import base64
import csv
import hashlib
import io
import json
import re
import sys
import zipfile
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal as D
from fractions import Fraction
from math import ceil, floor

from methodologies import CAMPAIGN_METHODS, energy_of_a_unit, is_woody, mecd
from second_opinion import (
    FUELS,
    GROUPS,
    TAIL,
    count_devices,
    count_surveyed_devices,
    estimate,
    filled,
    largest_gap,
    read,
    to_decimal,
    weights,
)
from special_functions import exact_lower_bound

# A figure of the result is rounded at 12 decimals.
TOLERANCE = D("1e-10")
ADULTS = {"men": D("1"), "women": D("0.8"), "children": D("0.5"), "elderly": D("0.8")}
DEFAULT_FNRB = {"ZMB": "0.40", "MWI": "0.48", "KEN": "0.29", "SSA": "0.40"}
SYMBOL = {"ncv": "NCV", "ef-co2": "EF_CO2", "ef-nonco2": "EF_nonCO2", "ef-upstream": "UEF"}
# Counted without its water where the terms say so.
SOLID_BIOMASS = ("wood", "pellets", "briquettes", "residues", "dung")
GRID = {"ef-grid": "EF_el", "grid-losses": "TDL"}


def is_same(stated, repeated) -> bool:
    if stated is None or repeated is None:
        return stated is repeated
    a, b = D(str(stated)), D(str(repeated))
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), D(1))


PEOPLE = ("children", "women", "men", "elderly", "guests")


def sizes_of(record: dict, group: str, per: str) -> dict:
    """People or standard adults of each measured position a day, on the mean of its logs; a position without them is left out."""
    weight = {kind: Fraction(1) for kind in PEOPLE}
    if per == "standard-adult":
        weight = {kind: Fraction(str(ADULTS[kind])) for kind in ADULTS}
        # Nobody knows the age of a guest.
        weight["guests"] = max(weight.values())
    registered = {
        each["position"]: sum((weight[kind] * int(each[kind]) for kind in ADULTS), Fraction(0))
        for each in record["members"]
        if each["group"] == group
    }
    logs: dict = {}
    for claim in record["claims"]:
        if claim["group"] == group:
            logs[claim["position"]] = logs.get(claim["position"], 0) + int(claim["logs"])
    found = {}
    for place, fed in fed_in(record, group).items():
        known = registered.get(place, 0)
        if known == 0:
            continue
        eaters = known * (logs[place] - fed["days"]) + sum(weight[kind] * fed[kind] for kind in ADULTS)
        # What visits counted may change the register only against the project; guests are none of an intervention household.
        if group == "reference":
            daily = max(known, (eaters + weight["guests"] * fed["guests"]) / logs[place])
        else:
            daily = min(known, eaters / logs[place])
        if daily > 0:
            found[place] = daily
    return found


def unit_of(record: dict) -> str:
    return record["terms"].get("valuePer", "household")


def households_of(record: dict, group: str) -> list:
    """(position, fuel → kg or kWh a day) of each measured household, in the unit of the terms, where its people are known."""
    own = household_fuel(record, group)
    if unit_of(record) == "household":
        return own
    sizes = sizes_of(record, group, unit_of(record))
    return [(place, {fuel: kg / sizes[place] for fuel, kg in burnt.items()}) for place, burnt in own if place in sizes]


def mean_over(record: dict, group: str, values: list):
    """The mean of (position, value) over the strata; None where a stratum has fewer than two, or there is none."""
    at = stratum_at(record, group)
    mean = Fraction(0)
    for name, share in weights({"strata": strata_of(record)}):
        own = [value for place, value in values if name is None or at[place] == name]
        if len(own) < (1 if name is None else 2):
            return None
        mean += share * sum(own) / len(own)
    return mean


def credited_size(record: dict):
    """People of a household of the project, and how many units of a value it counts as; None where the value is a household's."""
    per = unit_of(record)
    given = people_of(record)
    if per == "household":
        return None
    choices = []
    for group in GROUPS:
        people = mean_over(record, group, list(sizes_of(record, group, "person").items()))
        units = mean_over(record, group, list(sizes_of(record, group, per).items()))
        if people is None or units is None:
            return None
        registered = registered_people(record, group)
        known = [registered[place] for place in sizes_of(record, group, per)]
        limits = [people, Fraction(given), Fraction(sum(known), len(known))]
        choices.append((units / people * min(limits), min(limits)))
    units, people = min(choices, key=lambda each: each[0])
    fuel = record["terms"].get("fuel", "wood")
    own = mean_over(record, "reference", [(place, burnt[fuel]) for place, burnt in households_of(record, "reference")])
    sized = sizes_of(record, "reference", per)
    whole = [(place, burnt[fuel]) for place, burnt in household_fuel(record, "reference") if place in sized]
    at_most = mean_over(record, "reference", whole) / own if own else units
    people, units = people * min(at_most, units) / units, min(at_most, units)
    return {"people": to_decimal(people), "units": to_decimal(units)}


def household_fuel(record: dict, group: str) -> list:
    """(position, fuel → kg or kWh a day) of each measured household: all its claims over all their logs."""
    main = record["terms"].get("fuel", "wood")
    found: dict = {}
    for claim in record["claims"]:
        if claim["group"] != group:
            continue
        amounts, logs = found.get(claim["position"], ({}, 0))
        burnt = {fuel: int(amount) for fuel, amount in claim.get("fuels", {}).items()} | {main: int(claim["totalGrams"])}
        for fuel, amount in burnt.items():
            amounts[fuel] = amounts.get(fuel, 0) + amount
        found[claim["position"]] = (amounts, logs + int(claim["logs"]))
    return [
        (position, {fuel: Fraction(amount, 1000 * logs) for fuel, amount in amounts.items()})
        for position, (amounts, logs) in sorted(found.items())
    ]


def people_of(record: dict) -> D:
    terms = record["terms"]
    if "householdSize" in terms:
        return D(terms["householdSize"])
    measured = {position for position, _ in household_fuel(record, "reference")}
    sizes = [
        sum(int(each[name]) for name in ADULTS)
        for each in record["members"]
        if each["group"] == "reference" and each["position"] in measured
    ]
    known = [size for size in sizes if size > 0]
    return D(sum(known)) / len(known) if known else D("4.5")


def devices_of(record: dict, convention: str, size=None) -> dict:
    """Device-days, new devices and the share in use; of a survey its exact lower bound."""
    terms = record["terms"]
    tail = TAIL[convention]
    if "devices" in record:
        days, new = record["devices"]["days"], record["devices"]["newDevices"]
    else:
        units = D(terms.get("units", record["frameSizes"]["intervention"]))
        days, new = units * 365, D(terms.get("newUnits", units))
    surveys = [
        {"age": each["age"], "surveyed": each["inUse"] + each["notInUse"] + each["missing"], "inUse": each["inUse"]}
        for each in record.get("usageSurvey", [])
    ] or terms.get("usageSurveys", [])
    if surveys:
        known = {each["age"]: each for each in surveys if each["surveyed"] > 0}
        total = D(0)
        for cohort in record["devices"]["cohorts"]:
            survey = known.get(cohort["age"])
            if survey is not None:
                total += exact_lower_bound(int(survey["inUse"]), int(survey["surveyed"]), tail) * cohort["days"]
        usage = total / days if days else D(0)
    elif "usageSurvey" in terms:
        usage = exact_lower_bound(int(terms["usageSurvey"]["inUse"]), int(terms["usageSurvey"]["surveyed"]), tail)
    else:
        usage = D(terms.get("usage", "1"))
    return {"days": D(days), "new": D(new), "usage": usage, "people": size["people"] if size else people_of(record)}


def factors_of(record: dict) -> dict:
    """By fuel: the renewability of the area counts for every woody fuel, the grid of the area for electricity."""
    terms = record["terms"]
    area = terms.get("area", "SSA")
    entries = record.get("parameters", [])
    recorded = [D(each["value"]) for each in entries if each["kind"] == "fnrb" and each["key"] == area]
    share = D(terms["fnrb"]) if "fnrb" in terms else (recorded[0] if recorded else D(DEFAULT_FNRB[area]))
    given: dict = {fuel: ({"fNRB": share} if is_woody(fuel) else {}) for fuel in FUELS}
    for each in entries:
        if each["kind"] in SYMBOL:
            given[each["key"]][SYMBOL[each["kind"]]] = D(each["value"])
    if terms.get("fuelMass") == "dry":
        recorded = {each["key"]: each["value"] for each in entries if each["kind"] == "ncv-dry"}
        for fuel in SOLID_BIOMASS:
            value = recorded.get(fuel, terms.get("dryNcv", {}).get(fuel))
            given[fuel] |= {"dry": True} | ({} if value is None else {"NCV": D(value)})
    for each in entries:
        if each["kind"] in GRID and each["key"] == area:
            given["electricity"][GRID[each["kind"]]] = D(each["value"])
    return given


def parameters_of(method: str, terms: dict) -> dict:
    given = {symbol: D(text) for symbol, text in terms.get("methodParameters", {}).items()}
    if method == "smec-4":
        given |= {"DAF": D(terms.get("daf", "0")), "HE": D(terms.get("he", "1")), "life": D(terms.get("life", "1"))}
        if "creditingYear" in terms:
            given["year"] = D(terms["creditingYear"])
    if method == "tpddtec":
        given["LE"] = D(terms.get("leakage", "0"))
    if method == "tpddtec-4" and "leakage" in terms:
        given["LE"] = D(terms["leakage"])
    if method == "vm0050-1":
        given = {"PE_other": D(0), "LE_RB": D(0)} | given
    return given


def strata_of(record: dict) -> list:
    """Each stratum with its households of the intervention frame, whose reduction is calculated."""
    strata = record.get("sampling", {}).get("strata", [])
    return [{"name": each["id"], "households": each["frames"]["intervention"]["size"]} for each in strata]


def stratum_at(record: dict, group: str) -> dict:
    """The stratum of each drawn position: the strata's samples in turn; a replacement has that of the position it replaced."""
    found: list = []
    for each in record.get("sampling", {}).get("strata", []):
        found += [each["id"]] * int(each["sampleSize"])
    if found:
        for dropped in record["replaced"][group]:
            found.append(found[int(dropped)])
    return dict(enumerate(found))


def campaign_of(record: dict, method: str, size) -> dict:
    """The campaign in the form that the second opinion reads; the test has one day, so that a household's value is a day's."""
    groups = {}
    for group in GROUPS:
        at = stratum_at(record, group)
        measured = [
            {"position": position, "stratum": at.get(position), "burnt": burnt}
            for position, burnt in households_of(record, group)
        ]
        known = {each["position"] for each in measured}
        unknown = [place for place, _ in household_fuel(record, group) if place not in known]
        missing = [
            {"position": position, "stratum": at.get(position)}
            for position in unknown + record["missing"][group] + record["open"][group]
        ]
        groups[group] = measured + missing
    return {
        "method": method,
        "convention": record["confidence"]["convention"],
        "design": "paired" if "paired" in record.get("sampling", {}) else "independent",
        **({"precision": D(record["confidence"]["precision"])} if "sampling" in record else {}),
        **({"strata": strata_of(record)} if strata_of(record) else {}),
        "groups": groups,
        "minimums": minimums_of(record, method),
        "factors": factors_of(record),
        "parameters": parameters_of(method, record["terms"]),
        **({} if size is None else {"value": {"per": unit_of(record), "perHousehold": size["units"]}}),
        "gwp": record["terms"].get("gwp", "AR5"),
    }


def minimums_of(record: dict, method: str) -> list:
    """What the regulator asks of the method's tests."""
    keys = [(each["key"].split("/"), each) for each in record.get("parameters", []) if each["kind"] == "method-minimum"]
    return [{"name": key[1], "value": each["value"]} for key, each in keys if key[0] == method]


def measured_only(campaign: dict) -> dict:
    return {
        group: [
            (each["position"], each["stratum"], each["burnt"])
            for each in campaign["groups"][group]
            if "burnt" in each
        ]
        for group in GROUPS
    }


def metered(record: dict) -> tuple:
    """MECD by specific energy: what the meters of the intervention group counted, and the mix of the reference group's fuels."""
    terms, factors = record["terms"], factors_of(record)
    fuel = terms.get("meteredFuel", "electricity")
    inside = [each for each in record["claims"] if each["group"] == "intervention"]
    amount = sum((D(each.get("fuels", {}).get(fuel, 0)) for each in inside), D(0)) / 1000000
    households = [burnt for _, burnt in households_of(record, "reference")]
    energy: dict = {}
    for other in FUELS:
        daily = sum((burnt.get(other, Fraction(0)) for burnt in households), Fraction(0))
        if daily > 0:
            energy[other] = D(daily.numerator) / D(daily.denominator) * energy_of_a_unit(other, factors[other])
    total = sum(energy.values(), D(0))
    measured = len({each["position"] for each in inside})
    drawn = measured + len(record["missing"]["intervention"]) + len(record["open"]["intervention"])
    given = {symbol: D(text) for symbol, text in terms["methodParameters"].items()}
    given |= {
        "DAF": D(terms.get("daf", "0")),
        "users": people_of(record) * sum(int(each["logs"]) for each in inside) / 365,
        "coverage": D(measured) / drawn,
        "N_new": devices_of(record, record["confidence"]["convention"])["new"],
    }
    inputs = {
        "parameters": given,
        "baseline": [{"fuel": other, "share": part / total, **factors[other]} for other, part in energy.items()],
        "project": [{"fuel": fuel, "P": amount, **factors[fuel]}],
    }
    return given["coverage"], mecd(inputs, terms.get("gwp", "AR5"))


def compare_metered(record: dict, figures: dict, compare) -> None:
    for index, stated in enumerate(figures["emissions"]["reductions"]):
        if stated["method"] != "mecd-specific-energy":
            continue
        coverage, results = metered(record)
        compare("mecd.is-covered", D("range" not in [each["rule"] for each in stated["broken"]]), D(coverage >= D("0.95")))
        if stated["broken"]:
            continue
        for symbol, value in zip(("be", "ae", "le", "er"), results):
            compare(f"mecd.{symbol}", stated[symbol], value)
        compare("mecd.sensitivity", figures["sensitivity"]["reductions"][index]["er"], results[3])
        if stated["certifiable"]["er"] is not None:
            compare("mecd.certifiable", stated["certifiable"]["er"], results[3])


def name_is_known(shares: list) -> bool:
    """Whether the sample has strata."""
    return shares[0][0] is not None


def repeat(record: dict, figures: dict) -> list:
    """Each figure that is stated otherwise than it is calculated here."""
    found: list = []

    def compare(what: str, stated, repeated) -> None:
        if not is_same(stated, repeated):
            found.append({"what": what, "stated": str(stated), "repeated": str(repeated)})

    convention = record["confidence"]["convention"]
    fuel = record["terms"].get("fuel", "wood")
    compare("unit", D(figures["unit"] == f"kg per {unit_of(record).replace('-', ' ')} per day"), D(1))
    for group in GROUPS:
        at = stratum_at(record, group)
        values = [(at.get(position), burnt[fuel]) for position, burnt in households_of(record, group)]
        stated = figures["groups"][group]
        compare(f"groups.{group}.n", stated["n"], len(values))
        shares = weights({"strata": strata_of(record)})
        for index, (name, share) in enumerate(shares if name_is_known(shares) else []):
            own = stated["strata"][index]
            within = [value for value in values if value[0] == name]
            missing = [place for place in record["missing"][group] if at[place] == name]
            compare(f"groups.{group}.{name}.n", own["n"], len(within))
            compare(f"groups.{group}.{name}.missing", own["missing"], len(missing))
            compare(f"groups.{group}.{name}.share", own["share"], D(share.numerator) / share.denominator)
            alone = estimate(within, [(name, Fraction(1))], convention)
            if alone is not None:
                compare(f"groups.{group}.{name}.mean", own["mean"], alone.middle)
                compare(f"groups.{group}.{name}.halfWidth", own["halfWidth"], alone.half)
                compare(f"groups.{group}.{name}.precision", own["precision"], alone.precision())
        one = estimate(values, shares, convention)
        if one is not None:
            compare(f"groups.{group}.mean", stated["mean"], one.middle)
            compare(f"groups.{group}.standardError", stated["standardError"], one.error)
            compare(f"groups.{group}.halfWidth", stated["halfWidth"], one.half)
            compare(f"groups.{group}.precision", stated["precision"], one.precision())
    if record["terms"].get("fuelMass") == "dry":
        compare_moisture(record, figures, compare)
    if "replacements" in record:
        compare_replacements(record, figures, compare)
    if "remeasured" in record:
        compare_chosen(record, figures, compare)
    compare_before_draw(record, figures, compare)
    compare_shared_evidence(record, figures, compare)
    compare_people(record, figures, compare)
    compare_variation(record, figures, compare)
    compare_plan(record, figures, compare)
    compare_small_frames(record, figures, compare)
    compare_metered(record, figures, compare)
    if record["terms"].get("baseline", "measured") != "measured":
        return found
    size = credited_size(record)
    devices = devices_of(record, convention, size)
    lacks_people = any(len(households_of(record, group)) < len(household_fuel(record, group)) for group in GROUPS)
    lacks_people = lacks_people or (unit_of(record) != "household" and size is None)
    for index, stated in enumerate(figures["emissions"]["reductions"]):
        method = stated["method"]
        if method in CAMPAIGN_METHODS:
            stands = "people-known" in [each["rule"] for each in stated["broken"]]
            compare(f"reductions.{method}.people-known", D(stands), D(lacks_people))
        if stated["broken"] or method not in CAMPAIGN_METHODS:
            continue
        campaign = campaign_of(record, method, size)
        measured = measured_only(campaign)
        everyone = [burnt for group in GROUPS for _, _, burnt in measured[group]]
        fuels = [each for each in FUELS if any(burnt.get(each, 0) > 0 for burnt in everyone)]
        reading = read(campaign, measured, fuels, devices)
        if reading is None:
            compare(f"reductions.{method}", stated["er"], None)
            continue
        low = read(campaign, filled(campaign, 1), fuels, devices)
        name = f"reductions.{method}"
        for symbol, value in zip(("be", "ae", "le", "er"), reading[1]):
            compare(f"{name}.{symbol}", stated[symbol], value)
        sensitive = figures["sensitivity"]["reductions"][index]
        compare(f"sensitivity.{method}.er", sensitive["er"], low[1][3])
        certifiable = stated["certifiable"]
        if record.get("requiresRegistry") and not ("devices" in record and "usageSurvey" in record):
            compare(f"{name}.certifiable", certifiable["er"], None)
        elif certifiable["er"] is not None:
            gap = largest_gap(campaign, measured)
            is_lowered = gap > Fraction(5, 100)
            wanted = min(reading[1][3], low[1][3]) if is_lowered else reading[1][3]
            if unit_of(record) != "household":
                wanted = min(wanted, most_of(record, method, is_lowered))
            compare(f"{name}.certifiable", certifiable["er"], wanted)
    return found


def most_of(record: dict, method: str, is_lowered: bool) -> D:
    """The reduction of the same data per household, which no certificate of another unit exceeds."""
    plain = record | {"terms": {name: value for name, value in record["terms"].items() if name != "valuePer"}}
    campaign = campaign_of(plain, method, None)
    devices = devices_of(plain, record["confidence"]["convention"])
    measured = measured_only(campaign)
    everyone = [burnt for group in GROUPS for _, _, burnt in measured[group]]
    fuels = [each for each in FUELS if any(burnt.get(each, 0) > 0 for burnt in everyone)]
    found = read(campaign, measured, fuels, devices)[1][3]
    return min(found, read(campaign, filled(campaign, 1), fuels, devices)[1][3]) if is_lowered else found


def load(text):
    return json.loads(text, parse_float=D)


THRESHOLD, PAUSE, EVENT, HOLD = D(75), 1800, 300, 1800
ON = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}


def cooking_events(rows: list) -> list:
    """First and last second of each cooking event of a stove-use monitor, and its day as the monitor writes it."""
    is_state = "on" in rows[0]
    times = [datetime.fromisoformat(row["timestamp"]) for row in rows]
    events = []
    for index, row in enumerate(rows):
        if not (ON[row["on"]] if is_state else D(row["temperature"]) > THRESHOLD):
            continue
        start = times[index].timestamp()
        end = times[min(index + 1, len(rows) - 1)].timestamp()
        if not is_state:
            end = min(end, start + HOLD)
        if events and start - events[-1][1] < PAUSE:
            events[-1][1] = end
        else:
            events.append([start, end, times[index].date()])
    return [event for event in events if event[1] - event[0] >= EVENT]


def monitors_of(room, claim: dict, filed: dict) -> list:
    """Each stove-use monitor of a claim without visits: its events, and those of each logged day."""
    folder = "claims/" + re.sub(r"[^0-9A-Za-z-]", "_", claim["id"])
    first, last = date.fromisoformat(claim["startDate"]), date.fromisoformat(claim["endDate"])
    logs = filed["fuelMeasurements"]["dailyLogs"]
    skipped = (last - first).days + 1 - len(logs)
    found = []
    for item, evidence in enumerate(filed.get("evidence", [])):
        if not isinstance(evidence, dict) or evidence["type"] != "stove-use-series":
            continue
        text = room.read(f"{folder}/evidence-{item + 1}.csv").decode()
        events = cooking_events(list(csv.DictReader(io.StringIO(text))))
        days = [
            {"day": skipped + i, "events": sum(day == first + timedelta(days=skipped + i) for _, _, day in events)}
            for i in range(len(logs))
        ]
        found.append({"claimId": claim["id"], "item": item, "events": len(events), "days": days})
    return found


def replacements_of(positions: list, group: str) -> list:
    """The replaced positions of a group in their order, each with the SHA-256 of its evidence's URI without the fragment."""
    own = [each for each in positions if (each["group"], each["ended"]) == (group, "replaced")]
    uris = [(each["evidence"] or "").split("#")[0].strip() for each in sorted(own, key=lambda each: each["replacedBy"])]
    hashes = ["0x" + hashlib.sha256(uri.encode()).hexdigest() if uri else None for uri in uris]
    return [
        {"position": each["position"], "evidence": evidence}
        for each, evidence in zip(sorted(own, key=lambda each: each["replacedBy"]), hashes)
    ]


def dry_grams(weighing: dict, group: str) -> int:
    """Grams without water of what a weighing used, rounded to the disadvantage of the saving."""
    wet = Fraction(weighing["start"]) + Fraction(weighing["added"]) - Fraction(weighing["end"])
    if weighing["fuel"] in SOLID_BIOMASS and (Fraction(weighing["start"]) + Fraction(weighing["added"]) > 0):
        readings = [Fraction(each) / 100 for piece in weighing["moisture"]["readings"] for each in piece]
        content = sum(readings) / len(readings)
        if weighing["moisture"]["basis"] == "dry":
            content = content / (1 + content)
        wet = wet * (1 - content)
    return floor(wet * 1000) if group == "reference" else ceil(wet * 1000)


def people_fed(visits: list) -> dict:
    """The people that visits with weighings fed, all together; a visit that fed nobody although fuel was used is counted by itself."""
    fed = {"days": 0, "nobody": 0} | {kind: 0 for kind in PEOPLE}
    for visit in visits:
        if not visit["fuels"] or "peopleFed" not in visit:
            continue
        counts = {kind: int(visit["peopleFed"].get(kind, 0)) for kind in PEOPLE}
        burns = any(Fraction(w["start"]) + Fraction(w["added"]) > Fraction(w["end"]) for w in visit["fuels"])
        if burns and sum(counts.values()) == 0:
            fed["nobody"] += 1
        else:
            fed["days"] += 1
            fed |= {kind: fed[kind] + counts[kind] for kind in PEOPLE}
    return fed


def fed_in(record: dict, group: str) -> dict:
    """The people that the claims of each measured position of a group fed."""
    found: dict = {}
    for claim in record["claims"]:
        if claim["group"] == group:
            sums = found.setdefault(claim["position"], {"days": 0, "nobody": 0} | {kind: 0 for kind in PEOPLE})
            for name, count in claim.get("fed", {}).items():
                sums[name] += int(count)
    return found


def registered_people(record: dict, group: str) -> dict:
    return {each["position"]: sum(int(each[kind]) for kind in ADULTS) for each in record["members"] if each["group"] == group}


def compare_people(record: dict, figures: dict, compare) -> None:
    """Flags of households that fed other people than are registered."""
    for group in GROUPS:
        registered = registered_people(record, group)
        places = []
        for place, fed in sorted(fed_in(record, group).items()):
            people = Fraction(registered.get(place, 0)) * fed["days"]
            own = sum(fed[kind] for kind in ADULTS)
            differs = people > 0 and (own > people * Fraction(3, 2) or own + fed["guests"] < people / 2 or fed["guests"] > people)
            if differs or fed["nobody"] > 0:
                places.append(place)
        stated = [each["positions"] for each in figures["flags"] if (each["group"], each["rule"]) == (group, "people-differ")]
        compare(f"flags.{group}.people-differ", D(stated == ([places] if places else [])), D(1))


def compare_variation(record: dict, figures: dict, compare) -> None:
    """A flag of a sample that was planned for less variation than an earlier campaign had measured."""
    sampling = record.get("sampling", {})
    before = sampling.get("measured")
    is_lower = before is not None and D(sampling["coefficientOfVariation"]) < D(before["coefficientOfVariation"])
    stated = [each["group"] for each in figures["flags"] if each["rule"] == "cv-below-measured"]
    compare("flags.cv-below-measured", D(stated == ([before["group"]] if is_lower else [])), D(1))


def from_visits(claim: dict, filed: dict, terms: dict) -> dict:
    """What a claim with visits counts: grams of each fuel, the mass of solid biomass as weighed where its water does not count, and logs."""
    is_dry = terms.get("fuelMass") == "dry"
    fuels: dict = {}
    weighed: dict = {}
    for weighing in [each for visit in filed["visits"] for each in visit["fuels"]]:
        fuel = weighing["fuel"]
        wet = int((Fraction(weighing["start"]) + Fraction(weighing["added"]) - Fraction(weighing["end"])) * 1000)
        fuels[fuel] = fuels.get(fuel, 0) + (dry_grams(weighing, claim["group"]) if is_dry else wet)
        if is_dry and fuel in SOLID_BIOMASS:
            weighed[fuel] = weighed.get(fuel, 0) + wet
    return {
        "id": claim["id"],
        "group": claim["group"],
        "position": claim["position"],
        "totalGrams": str(fuels.get(terms.get("fuel", "wood"), 0)),
        "logs": sum(1 for visit in filed["visits"] if visit["fuels"]),
        "fuels": {fuel: str(amount) for fuel, amount in fuels.items()},
        **({"weighed": {fuel: str(amount) for fuel, amount in weighed.items()}} if is_dry else {}),
        # A claim that was filed before these were kept lists none.
        **({"fed": people_fed(filed["visits"])} if "fed" in claim else {}),
    }


def compare_moisture(record: dict, figures: dict, compare) -> None:
    """Mean moisture of each group's solid biomass on wet basis, and its mass as weighed and without water."""
    for group in GROUPS:
        own = [claim for claim in record["claims"] if claim["group"] == group]
        stated = figures["dryMass"]["groups"][group]
        named = {fuel for claim in own for fuel in claim["weighed"]}
        compare(f"dryMass.{group}", D({each["fuel"] for each in stated} == named), D(1))
        for each in stated:
            wet = sum(int(claim["weighed"].get(each["fuel"], 0)) for claim in own)
            dry = sum(int(claim["fuels"][each["fuel"]]) for claim in own if each["fuel"] in claim["weighed"])
            compare(f"dryMass.{group}.{each['fuel']}.weighed", each["weighed"], D(wet) / 1000)
            compare(f"dryMass.{group}.{each['fuel']}.dry", each["dry"], D(dry) / 1000)
            compare(f"dryMass.{group}.{each['fuel']}.moisture", each["moisture"], D(wet - dry) / wet if wet else None)


def compare_replacements(record: dict, figures: dict, compare) -> None:
    """Households that others replaced: how many, which flags follow, and whether they prevent a certificate."""
    is_paired = "paired" in record.get("sampling", {})
    size = int(record["sampleSize"])
    households: dict = {}
    for group in GROUPS:
        for each in record["replacements"][group]:
            who = each["position"] if is_paired else (group, each["position"])
            households.setdefault(each["evidence"], set()).add(who)
    for group in GROUPS:
        own = record["replacements"][group]
        compare(f"groups.{group}.replaced", figures["groups"][group]["replaced"], len(own))
        shared = [each["position"] for each in own if each["evidence"] and len(households[each["evidence"]]) > 1]
        many = [each["position"] for each in own] if Fraction(len(own), size) > Fraction(10, 100) else []
        for rule, wanted in (("same-evidence", shared), ("replacements-many", many)):
            stated = [each["positions"] for each in figures["flags"] if (each["group"], each["rule"]) == (group, rule)]
            compare(f"flags.{group}.{rule}", len(stated), 1 if wanted else 0)
            for positions in stated:
                compare(f"flags.{group}.{rule}.positions", D(positions == wanted), D(1))
        too_many = len(own) > size - len(record["missing"][group])
        for outcome in figures["emissions"]["reductions"]:
            problems = [(each["rule"], each.get("path")) for each in outcome["certifiable"]["problems"]]
            is_refused = ("replacements-at-most-measured", f"groups.{group}") in problems
            compare(f"reductions.{outcome['method']}.{group}.replaced", D(is_refused), D(too_many))


def remeasured_of(claims: list, unmeasured: dict, group: str) -> list:
    """The positions of a group with revoked claims that were measured again, with these claims."""
    found: dict = {}
    for claim in claims:
        if (claim["group"], claim["status"]) == (group, "revoked") and claim["position"] not in unmeasured[group]:
            found.setdefault(claim["position"], []).append(claim["id"])
    return [{"position": position, "claimIds": sorted(ids)} for position, ids in sorted(found.items())]


def adults_of(record: dict, group: str) -> dict:
    """Standard adults of the households of a group whose members are known, by position."""
    found = {
        each["position"]: sum((Fraction(str(ADULTS[name])) * int(each[name]) for name in ADULTS), Fraction(0))
        for each in record["members"]
        if each["group"] == group
    }
    return {position: adults for position, adults in found.items() if adults > 0}


def cautious_adults(record: dict) -> dict:
    """
    Standard adults of every measured household by group. Without registered members a reference household is as large as the largest
    known one, an intervention household as small as the smallest; of a pair, which is one household, large if it saved.
    """
    known = {group: adults_of(record, group) for group in GROUPS}
    fuel = record["terms"].get("fuel", "wood")
    burnt = {group: {place: own[fuel] for place, own in household_fuel(record, group)} for group in GROUPS}
    sizes = [known[group][place] for group in GROUPS for place in burnt[group] if place in known[group]]
    is_paired = "paired" in record.get("sampling", {})

    def is_large(group: str, place: int) -> bool:
        if is_paired:
            return place in burnt["intervention"] and burnt["reference"].get(place, 0) > burnt["intervention"][place]
        return group == "reference"

    return {
        group: {
            place: known[group].get(place, max(sizes) if is_large(group, place) else min(sizes)) for place in burnt[group]
        }
        for group in GROUPS
    }


def mean_saving(record: dict, per_adult: bool, sizes=None):
    """The mean saving of the campaign's fuel of a household, or of a standard adult; None where a stratum has fewer than two values."""
    fuel = record["terms"].get("fuel", "wood")
    values = {}
    for group in GROUPS:
        adults = adults_of(record, group) if sizes is None else sizes[group]
        own = household_fuel(record, group) if per_adult else households_of(record, group)
        known = [each for each in own if not per_adult or each[0] in adults]
        values[group] = {place: burnt[fuel] / (adults[place] if per_adult else 1) for place, burnt in known}
    if "paired" in record.get("sampling", {}):
        pairs = [own - values["intervention"][place] for place, own in values["reference"].items() if place in values["intervention"]]
        return sum(pairs) / len(pairs) if pairs else None
    means = {group: Fraction(0) for group in GROUPS}
    for group in GROUPS:
        at = stratum_at(record, group)
        for name, share in weights({"strata": strata_of(record)}):
            own = [value for place, value in values[group].items() if name is None or at[place] == name]
            if len(own) < (1 if name is None else 2):
                return None
            means[group] += share * sum(own) / len(own)
    return means["reference"] - means["intervention"]


def compare_chosen(record: dict, figures: dict, compare) -> None:
    """Values that were chosen once others were known, and groups that were picked: flags, and what prevents a certificate."""
    size = int(record["sampleSize"])
    again = {group: [each["position"] for each in record["remeasured"][group]] for group in GROUPS}
    sizes, is_sized = {}, {}
    for group in GROUPS:
        adults, measured = adults_of(record, group), [place for place, _ in household_fuel(record, group)]
        sizes[group] = [adults[place] for place in measured if place in adults]
        is_sized[group] = len(sizes[group]) == len(measured)
    means = sorted(sum(known) / len(known) for known in sizes.values() if known)
    differ = len(means) == 2 and means[1] * 4 > means[0] * 5
    households = record.get("deviceHouseholds")
    terms = record["terms"]
    by_saving = terms.get("baseline") != "minimum-service" and terms.get("method") != "mecd-specific-energy"
    are_measured = all(household_fuel(record, group) for group in GROUPS)
    unknown = by_saving and are_measured and not any(sizes.values())
    for group in GROUPS:
        if figures["groups"][group]["remeasured"] != record["remeasured"][group]:
            compare(f"groups.{group}.remeasured", len(figures["groups"][group]["remeasured"]), -1)
        frame = record["frameSizes"][group]
        undrawn = households is not None and frame <= size and frame < households["ofPlan"]
        for rule, wanted, places in (
            ("measured-after-revocation", bool(again[group]), again[group]),
            ("frame-is-sample", undrawn, []),
            ("household-sizes-differ", differ and group == "reference", []),
            ("household-sizes-unknown", unknown and group == "reference", []),
        ):
            stated = [each["positions"] for each in figures["flags"] if (each["group"], each["rule"]) == (group, rule)]
            if rule in record.get("flagRules", [rule]):
                compare(f"flags.{group}.{rule}", D(stated == [places]) if wanted else len(stated), D(wanted))
        claims = [claim["position"] for claim in record["claims"] if claim["group"] == group]
        several = "days" in record and len(set(claims)) < len(claims)
        for outcome in figures["emissions"]["reductions"]:
            problems = [(each["rule"], each.get("path")) for each in outcome["certifiable"]["problems"]]
            name = f"reductions.{outcome['method']}.{group}"
            stated = ("one-claim-of-fixed-days", f"groups.{group}") in problems
            compare(f"{name}.claims", D(stated), D(several))
            stated = ("remeasured-at-most-tenth", f"groups.{group}") in problems
            compare(f"{name}.remeasured", D(stated), D(Fraction(len(again[group]), size) > Fraction(10, 100)))
    sized = by_saving and all(is_sized.values())
    saves, saves_adult = mean_saving(record, False), mean_saving(record, True)
    for name, stated, mean in (("saving", figures["saving"], saves), ("adult", figures["perStandardAdult"]["saving"], saves_adult)):
        compare(f"{name}.mean", stated["mean"], None if mean is None else D(mean.numerator) / mean.denominator)
    if by_saving and not sized and "leftOut" in record and any(sizes.values()):
        sized, saves_adult = True, mean_saving(record, True, cautious_adults(record))
    picked = sized and saves is not None and saves_adult is not None and saves > 0 and saves_adult <= 0
    for outcome in figures["emissions"]["reductions"]:
        stated = "saving-per-adult-positive" in [each["rule"] for each in outcome["certifiable"]["problems"]]
        compare(f"reductions.{outcome['method']}.per-adult", D(stated), D(picked))


def compare_before_draw(record: dict, figures: dict, compare) -> None:
    """Flags of households that were measured, and of devices that were visited, before the draw."""
    early = record.get("beforeDraw", {})
    for group in GROUPS:
        places = early.get(group, [])
        measured = [place for place, _ in household_fuel(record, group)]
        wanted = [[] if len(places) == len(measured) else places] if places else []
        stated = [each for each in figures["flags"] if (each["group"], each["rule"]) == (group, "measured-before-draw")]
        compare(f"flags.{group}.measured-before-draw", D([each["positions"] for each in stated] == wanted), D(1))
    stated = [each["group"] for each in figures["flags"] if each["rule"] == "surveyed-before-draw"]
    shared = [each["group"] for each in figures["flags"] if each["rule"] == "same-survey-evidence"]
    wanted = ["intervention"] if record.get("sharedSurveyEvidence") else []
    compare("flags.same-survey-evidence", D(shared == wanted), D(1))
    compare("flags.surveyed-before-draw", D(stated == (["intervention"] if early.get("surveyed") else [])), D(1))


def invalid_parameters(room, record: dict) -> list:
    """Parameters that are valid neither in the test nor in the year of the vintage; that of meters is the test."""
    test = load(room.read("campaign.json"))["testPeriod"]
    year = record["terms"].get("vintage", test["endDate"][:4])
    periods = [(test["startDate"], test["endDate"])]
    if record["terms"].get("method") != "mecd-specific-energy":
        periods.append((f"{year}-01-01", f"{year}-12-31"))
    return [
        {"what": each["id"], "stated": f"valid from {each['validFrom']}", "repeated": "not valid when it must be"}
        for each in load(room.read("parameters.json"))
        if not any(each["validFrom"] <= first and last <= (each["validTo"] or last) for first, last in periods)
    ]


def shared_evidence_of(room) -> list:
    """Positions of the usage survey whose evidence is that of another one: the same URI before its fragment, or the same SHA-256."""
    marks: dict = {}
    for each in load(room.read("usage-positions.json")):
        for piece in (each["record"] or {}).get("evidence", []):
            given = [("uri", piece["uri"].split("#")[0].strip())]
            if "sha256" in piece:
                given.append(("sha256", piece["sha256"].lower().removeprefix("0x")))
            for mark in given:
                marks.setdefault(mark, set()).add(each["position"])
    return sorted(set().union(*(found for found in marks.values() if len(found) > 1)))


def marks_of(piece) -> set:
    """The link of a piece of evidence before its fragment, and the SHA-256 of its bytes: that of a raw CID, or the stated one."""
    if isinstance(piece, str):
        piece = {"uri": piece}
    link = piece["uri"] if "uri" in piece else "ipfs://" + piece["cid"]
    if re.fullmatch(r"b[a-z2-7]{58}", link):
        link = "ipfs://" + link
    link = re.sub(r"^ipfs://", "ipfs://", link, flags=re.IGNORECASE).split("#")[0].strip()
    found = {("link", link)}
    raw = re.fullmatch(r"ipfs://b([a-z2-7]{58})", link)
    block = base64.b32decode(raw.group(1).upper() + "======") if raw else b""
    if block[:4] == bytes([0x01, 0x55, 0x12, 0x20]):
        found.add(("bytes", block[4:].hex()))
    elif "sha256" in piece:
        found.add(("bytes", piece["sha256"].lower().removeprefix("0x")))
    return found


def evidence_users(room, record: dict) -> list:
    """Who has which evidence: each claim, each replaced or missing household, each device of the usage survey."""
    users = []
    for claim in load(room.read("claims.json")):
        if claim["status"] != "verified":
            continue
        folder = "claims/" + re.sub(r"[^0-9A-Za-z-]", "_", claim["id"])
        pieces = load(room.read(f"{folder}/claim.json"))["claim"].get("evidence", [])
        users.append(("claim", claim["group"], claim["position"], claim["id"], set().union(*map(marks_of, pieces))))
    is_paired = "paired" in record.get("sampling", {})
    for each in load(room.read("positions.json")):
        if each["ended"] in ("replaced", "missing") and each.get("evidence") is not None:
            who = (each["position"], "" if is_paired else each["group"])
            users.append((each["ended"], each["group"], each["position"], who, marks_of(each["evidence"])))
    survey = load(room.read("usage-positions.json")) if "usage-positions.json" in room.namelist() else []
    for each in survey:
        pieces = (each["record"] or {}).get("evidence", [])
        users.append(("surveyed", "surveyed", each["position"], each["position"], set().union(*map(marks_of, pieces))))
    return users


def shared_between_kinds(room, record: dict) -> dict:
    """Places with evidence that another claim, household or device has; replacements, and devices, by themselves are another rule's."""
    users = evidence_users(room, record)
    known: dict = {}
    for kind, _, _, who, marks in users:
        for mark in marks:
            known.setdefault(mark, set()).add((kind, who))
    shared = {
        mark
        for mark, those in known.items()
        if len(those) > 1 and {kind for kind, _ in those} not in ({"replaced"}, {"surveyed"})
    }
    places = ("reference", "intervention", "surveyed")
    return {name: sorted({each[2] for each in users if each[1] == name and each[4] & shared}) for name in places}


def compare_shared_evidence(record: dict, figures: dict, compare) -> None:
    """Flags of evidence that several claims, households or devices have, or another campaign."""
    elsewhere = record.get("evidenceElsewhere", [])
    both = {name: sorted({at for each in elsewhere for at in each[name]}) for name in (*GROUPS, "surveyed")}
    for rule, places in (("shared-evidence", record.get("sharedEvidence", {})), ("evidence-of-other-campaign", both)):
        wanted = [(group, places[group]) for group in GROUPS if places.get(group)]
        wanted += [("intervention", [])] if places.get("surveyed") else []
        stated = [(each["group"], each["positions"]) for each in figures["flags"] if each["rule"] == rule]
        compare(f"flags.{rule}", D(stated == wanted), D(1))


def least_sample(record: dict, method: str) -> D:
    """Households that a test by the method measures in each group at least: 30, or more if the regulator asks for more."""
    asked = [D(each["value"]) for each in minimums_of(record, method) if each["name"] == "sample"]
    return max([D(30), *asked])


def compare_small_frames(record: dict, figures: dict, compare) -> None:
    """A frame below the minimum sample prevents a certificate unless it leaves out nobody. Earlier results did not count that."""
    for outcome in figures["emissions"]["reductions"]:
        if outcome["broken"]:
            continue
        problems = [(each["rule"], each.get("path")) for each in outcome["certifiable"]["problems"]]
        for group in GROUPS:
            is_small = record["frameSizes"][group] < least_sample(record, outcome["method"])
            picked = "leftOut" in record and is_small and record["leftOut"].get(group, 0) != 0
            is_refused = ("small-frame-complete", f"groups.{group}") in problems
            compare(f"reductions.{outcome['method']}.{group}.small-frame", D(is_refused), D(picked))
            if picked:
                compare(f"reductions.{outcome['method']}.certifiable", outcome["certifiable"]["er"], None)


def left_out_of(room, record: dict) -> dict:
    """
    Of small frames the households that they leave out: those of the plan with a device from the first to the last day of the test,
    which are not in the intervention frame. For a reference group that is not paired nothing is counted.
    """
    size = len(load(room.read("draw.json"))["groups"]["intervention"]["leaves"])
    phases = record.get("sampling", {}).get("paired")
    period = phases["after"] if phases else load(room.read("campaign.json"))["testPeriod"]
    outside = {
        each["household"]
        for each in load(room.read("devices.json"))
        if each["household"] >= size and each["installedOn"] <= period["startDate"] and end_of_place(each) > period["endDate"]
    }
    methods = {"smec-4", "tpddtec", record["terms"].get("method", "smec-4")}
    most = max(least_sample(record, method) for method in methods)
    found = {}
    for group in GROUPS:
        if record["frameSizes"][group] < most and (phases is not None or group == "intervention"):
            found[group] = len(outside)
    return found


PLAN_KINDS = {"area": "plan-area", "fuel": "plan-fuel"}


def compare_plan(record: dict, figures: dict, compare) -> None:
    """The area and fuel of the terms against what the regulator recorded for the plan, and warming potentials without a record."""
    terms, recorded = record["terms"], record.get("planRecords", {})
    rules = record.get("flagRules", ("area-stated", "gwp-stated"))
    unsupported = any(name in terms and name not in recorded for name in PLAN_KINDS)
    for rule, wanted in (("area-stated", unsupported), ("gwp-stated", terms.get("gwp", "AR5") != "AR5")):
        stated = [(each["group"], each["positions"]) for each in figures["flags"] if each["rule"] == rule]
        compare(f"flags.{rule}", D(stated == ([("intervention", [])] if wanted and rule in rules else [])), D(1))
    for name in PLAN_KINDS:
        differs = name in terms and name in recorded and terms[name] != recorded[name]["choice"]
        for outcome in figures["emissions"]["reductions"]:
            problems = [(each["rule"], each.get("path")) for each in outcome["certifiable"]["problems"]]
            is_refused = (f"{name}-of-plan", f"emissions.{name}") in problems
            compare(f"reductions.{outcome['method']}.{name}-of-plan", D(is_refused), D(differs))
            if differs:
                compare(f"reductions.{outcome['method']}.certifiable", outcome["certifiable"]["er"], None)


def plan_records_of(room) -> dict:
    """Of each kind the newest entry of the plan that is valid in the whole test period."""
    campaign = load(room.read("campaign.json"))
    first, last = campaign["testPeriod"]["startDate"], campaign["testPeriod"]["endDate"]
    found: dict = {}
    for each in load(room.read("parameters.json")):
        for name, kind in PLAN_KINDS.items():
            is_meant = (each["kind"], each["key"]) == (kind, campaign["planId"])
            if is_meant and each["validFrom"] <= first and last <= (each["validTo"] or last):
                found[name] = {"id": each["id"], "choice": each["unit"]}
    return found


def before_draw_of(room) -> dict:
    """What was measured on a day before that of the draw block, in UTC."""
    draw = load(room.read("draw.json"))["draw"]
    day = datetime.fromtimestamp(int(draw["blockTime"]), timezone.utc).date().isoformat()
    claims = [each for each in load(room.read("claims.json")) if each["status"] == "verified"]
    found: dict = {"drawnOn": day}
    for group in GROUPS:
        found[group] = sorted({each["position"] for each in claims if each["group"] == group and each["startDate"] < day})
    survey = load(room.read("usage-positions.json")) if "usage-positions.json" in room.namelist() else []
    found["surveyed"] = sorted(each["position"] for each in survey if ((each["record"] or {}).get("date") or day) < day)
    return found


def end_of_place(device: dict) -> str:
    """A retirement that was recorded after the draw gives the device's place to no other."""
    return "no end" if device.get("retiredAfterDraw") else device.get("retiredOn", "no end")


def one_at_a_time(devices: list) -> list:
    """Of each household the devices that were installed first, and of one day those that stay longest, without overlaps."""
    busy: dict = {}
    kept = []
    in_order = sorted(devices, key=lambda each: each["serial"])
    in_order.sort(key=end_of_place, reverse=True)
    in_order.sort(key=lambda each: each["installedOn"])
    for device in in_order:
        start, end = device["installedOn"], end_of_place(device)
        spans = busy.setdefault(device["household"], []) if "household" in device else []
        if start != end:
            if any(start < other_end and other_start < end for other_start, other_end in spans):
                continue
            spans.append((start, end))
        kept.append(device)
    return kept


def recount(room, record: dict) -> dict:
    """The devices of the frame's households in the calendar year of the vintage, and the households of the plan that have one."""
    listed = load(room.read("devices.json"))
    size = len(load(room.read("draw.json"))["groups"]["intervention"]["leaves"])
    year = record["terms"].get("vintage", load(room.read("campaign.json"))["testPeriod"]["endDate"][:4])
    period = {"from": f"{year}-01-01", "to": record.get("devicesTo", f"{year}-12-31")}
    own = [each for each in listed if each.get("household", 0) < size]
    if "usageFrame" in record:
        day = record["usageFrame"]["day"]
        serials = {each["serial"] for each in load(room.read("usage-frame.json"))}
        drawable = {each["age"]: each["devices"] for each in record["usageFrame"]["cohorts"]}
        own = [each for each in own if each["serial"] in serials or each["installedOn"] > day]
        devices = count_surveyed_devices(one_at_a_time(own), period, day)
        for cohort in devices["cohorts"]:
            cohort["drawable"] = drawable.get(cohort["age"], 0)
    else:
        devices = count_devices(one_at_a_time(own), period)
    if any("household" not in each for each in listed):
        return {"devices": devices}
    equipped = {
        each["household"]
        for each in listed
        if each["installedOn"] <= period["to"]
        and each.get("retiredOn", "no end") > max(each["installedOn"], period["from"])
    }
    inside = sum(household < size for household in equipped)
    return {"devices": devices, "deviceHouseholds": {"inFrame": inside, "ofPlan": len(equipped)}}


def from_zip(path: str) -> list:
    """The differences of a data room: hashes of its files, claims that are counted, and figures."""
    found = []
    with zipfile.ZipFile(path) as room:
        manifest = load(room.read("manifest.json"))
        for file in manifest["files"]:
            if hashlib.sha256(room.read(file["path"])).hexdigest() != file["sha256"]:
                found.append({"what": file["path"], "stated": file["sha256"], "repeated": "another SHA-256"})
        result = load(room.read("result.json"))
        record = result["record"]
        drawn = load(room.read("draw.json"))["groups"]
        for group, positions in record.get("replaced", {}).items():
            order = sorted(drawn[group]["replacements"], key=lambda each: each["replacement"])
            if [each["dropped"] for each in order] != positions:
                found.append({"what": f"replaced {group}", "stated": str(positions), "repeated": str(order)})
        if "replacements" in record:
            positions = load(room.read("positions.json"))
            for group in GROUPS:
                stated, repeated = record["replacements"][group], replacements_of(positions, group)
                if stated != repeated:
                    found.append({"what": f"replacements {group}", "stated": str(stated), "repeated": str(repeated)})
        if "remeasured" in record:
            for group in GROUPS:
                unmeasured = {each: record["missing"][each] + record["open"][each] for each in GROUPS}
                again = remeasured_of(load(room.read("claims.json")), unmeasured, group)
                if again != record["remeasured"][group]:
                    stated = str(record["remeasured"][group])
                    found.append({"what": f"remeasured {group}", "stated": stated, "repeated": str(again)})
        found += invalid_parameters(room, record)
        if "devicesTo" in record:
            year = record["terms"].get("vintage", load(room.read("campaign.json"))["testPeriod"]["endDate"][:4])
            closed = datetime.fromisoformat(load(room.read("campaign.json"))["closed"]["at"].replace("Z", "+00:00"))
            days = {(closed - timedelta(days=back)).date().isoformat() for back in (0, 1)}
            if record["devicesTo"] not in {min(max(day, f"{year}-01-01"), f"{year}-12-31") for day in days}:
                found.append({"what": "devicesTo", "stated": record["devicesTo"], "repeated": str(sorted(days))})
        if "sharedSurveyEvidence" in record and record["sharedSurveyEvidence"] != shared_evidence_of(room):
            stated, repeated = str(record["sharedSurveyEvidence"]), str(shared_evidence_of(room))
            found.append({"what": "sharedSurveyEvidence", "stated": stated, "repeated": repeated})
        if "sharedEvidence" in record and record["sharedEvidence"] != shared_between_kinds(room, record):
            stated, repeated = str(record["sharedEvidence"]), str(shared_between_kinds(room, record))
            found.append({"what": "sharedEvidence", "stated": stated, "repeated": repeated})
        if "beforeDraw" in record and record["beforeDraw"] != before_draw_of(room):
            stated, repeated = str(record["beforeDraw"]), str(before_draw_of(room))
            found.append({"what": "beforeDraw", "stated": stated, "repeated": repeated})
        if "planRecords" in record and record["planRecords"] != plan_records_of(room):
            stated, repeated = str(record["planRecords"]), str(plan_records_of(room))
            found.append({"what": "planRecords", "stated": stated, "repeated": repeated})
        for name, counted in (recount(room, record) if "devices.json" in room.namelist() else {}).items():
            if counted != record[name]:
                found.append({"what": name, "stated": str(record[name]), "repeated": str(counted)})
        if "leftOut" in record and record["leftOut"] != left_out_of(room, record):
            stated, repeated = str(record["leftOut"]), str(left_out_of(room, record))
            found.append({"what": "leftOut", "stated": stated, "repeated": repeated})
        claims = []
        monitors, with_visits = [], set()
        for claim in load(room.read("claims.json")):
            folder = "claims/" + re.sub(r"[^0-9A-Za-z-]", "_", claim["id"])
            raw = room.read(f"{folder}/claim.json")
            if "0x" + hashlib.sha256(raw).hexdigest() != claim["claimHash"]:
                found.append({"what": claim["id"], "stated": claim["claimHash"], "repeated": "another SHA-256"})
            filed = load(raw)["claim"]
            if "visits" in filed:
                with_visits.add(claim["id"])
                if claim["status"] != "verified":
                    continue
                own = from_visits(claim, filed, record["terms"])
                claims.append(own)
                for each in record["claims"]:
                    if each["id"] == claim["id"] and each != own:
                        found.append({"what": claim["id"], "stated": str(each), "repeated": str(own)})
                continue
            monitors += monitors_of(room, claim, filed)
            logs = filed["fuelMeasurements"]["dailyLogs"]
            grams = sum(D(log) for log in logs) * 1000
            if claim["status"] == "verified":
                place = {"id": claim["id"], "group": claim["group"], "position": claim["position"]}
                claims.append(place | {"totalGrams": str(int(grams)), "logs": len(logs)})
        if sorted(each["id"] for each in claims) != sorted(each["id"] for each in record["claims"]):
            found.append({"what": "claims", "stated": str(len(record["claims"])), "repeated": str(len(claims))})
        stated = load(room.read("stove-use.json"))["series"] if "stove-use.json" in room.namelist() else []
        shown = [
            {name: each[name] for name in ("claimId", "item", "events")}
            | {"days": [{"day": day["day"], "events": day["events"]} for day in each["days"]]}
            for each in stated
            if each["claimId"] not in with_visits
        ]
        order = lambda each: (each["claimId"], each["item"])  # noqa: E731
        if sorted(shown, key=order) != sorted(monitors, key=order):
            found.append({"what": "stove use", "stated": str(shown), "repeated": str(monitors)})
        return found + repeat(record | {"claims": claims}, result["figures"])


def main() -> None:
    if len(sys.argv) > 1:
        json.dump([from_zip(path) for path in sys.argv[1:]], sys.stdout)
    else:
        rooms = load(sys.stdin.read())["rooms"]
        json.dump([repeat(each["record"], each["figures"]) for each in rooms], sys.stdout)


if __name__ == "__main__":
    main()

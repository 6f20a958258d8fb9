"""Random campaigns and metered projects as JSON: python3 generate.py <seed> <campaigns> <metered>. The same seed gives the same."""

import json
import sys
from datetime import date, timedelta
from random import Random

BIOMASS = ["wood", "charcoal", "pellets", "briquettes", "residues", "dung", "ethanol", "biogas"]
WOODY = ["wood", "charcoal", "pellets", "briquettes"]
FOSSIL = ["lpg", "kerosene", "natural-gas"]


def factors_of(random: Random, fuel: str) -> dict:
    if fuel == "electricity":
        return {"EF_el": round(random.uniform(0, 1.2), 4), "TDL": round(random.uniform(0, 0.3), 3)}
    given = {}
    if fuel in WOODY:
        given["fNRB"] = round(random.uniform(0.1, 0.95), 3)
    if fuel == "charcoal" and random.random() < 0.5:
        given |= {"EF_CO2": 165.22, "EF_nonCO2": 44.83}
    if fuel == "wood" and random.random() < 0.4:
        given |= {"dryNcv": round(random.uniform(0.017, 0.02), 5), "moisture": round(random.uniform(0.05, 0.45), 3)}
    elif random.random() < 0.2:
        given["NCV"] = round(random.uniform(0.012, 0.05), 5)
    return given


def amount(random: Random, mean: float, spread: float, places: int) -> float:
    return round(max(0.0, random.gauss(mean, mean * spread)), places)


def parameters_of(random: Random, method: str) -> dict:
    if method == "smec-4":
        given = {
            "DAF": round(random.uniform(0, 0.2), 3),
            "life": random.randint(1, 10),
            "HE": round(random.uniform(0.5, 1), 2),
        }
        return given | ({"year": random.randint(1, 7)} if random.random() < 0.5 else {})
    if method == "tpddtec-4":
        return {"LE": round(random.uniform(0, 20), 2)} if random.random() < 0.3 else {}
    if method == "tpddtec":
        return {"LE": round(random.uniform(0, 20), 2)}
    return {
        "eta_new": round(random.choice([random.uniform(0.25, 0.5), random.uniform(0.69, 0.9)]), 3),
        "eta_old": round(random.uniform(0.1, 0.25), 3),
        "LE_RB": round(random.uniform(0, 5), 2),
        "PE_other": round(random.uniform(0, 5), 2),
    }


def campaign(random: Random) -> dict:
    method = random.choice(["smec-4", "tpddtec-4", "tpddtec", "vm0050-1"])
    design = random.choice(["independent", "independent", "paired"])
    before = random.sample(BIOMASS + FOSSIL + ["electricity"], random.choice([1, 1, 2, 3]))
    # TPDDTEC refuses a fossil fuel or electricity that only the project uses.
    added = BIOMASS if method == "tpddtec-4" else BIOMASS + FOSSIL + ["electricity"]
    after = sorted(set(random.sample(before, random.randint(1, len(before))) + random.sample(added, random.choice([0, 1]))))
    strata = None
    if random.random() < 0.3:
        share = random.randint(10, 90) / 100
        strata = [{"name": "rural", "share": share}, {"name": "urban", "share": round(1 - share, 2)}]
        if random.random() < 0.5:
            strata = [{"name": name, "households": random.randint(40, 9_000)} for name in ("rural", "urban")]
    # Half of the campaigns are large, quick to save and well surveyed, so that something can be certified.
    is_good = random.random() < 0.5
    size = random.randint(36, 60) if is_good else random.choice([random.randint(5, 29), random.randint(30, 60), random.randint(30, 60), random.randint(30, 60)])
    spread = random.choice([0.05, 0.15, 0.25] if is_good else [0.05, 0.15, 0.25, 0.5])
    gap = random.choice([0, 0, 0.03, 0.06] if is_good else [0, 0, 0.03, 0.07, 0.15])
    places = random.choice([1, 2, 3])
    burnt = {fuel: random.uniform(2, 30) for fuel in before + after}
    saved = random.uniform(0.2, 0.6 if is_good else 1.1)

    def group(fuels: list, factor: float, others: int) -> list:
        positions = []
        for position in range(size if design == "paired" else others):
            one = {"position": position}
            if strata is not None:
                one["stratum"] = "rural" if position % 3 else "urban"
            if random.random() >= gap:
                uses = [fuel for fuel in fuels if random.random() < 0.9]
                one["burnt"] = {fuel: amount(random, burnt[fuel] * factor, spread, places) for fuel in uses}
            positions.append(one)
        return positions

    start = date(2024, 1, 1) + timedelta(days=random.randint(0, 500))
    period = date(2024, 1, 1) + timedelta(days=random.randint(0, 400))
    devices = []
    for number in range(random.randint(140, 260) if is_good else random.randint(20, 260)):
        installed = date(2023, 12, 1) if is_good else date(2021, 1, 1)
        installed += timedelta(days=random.randint(0, 30 if is_good else 1700))
        one = {"serial": f"D-{number}", "installedOn": installed.isoformat()}
        if random.random() < 0.1 and not is_good:
            one["retiredOn"] = (installed + timedelta(days=random.randint(0, 1200))).isoformat()
        devices.append(one)
    if not is_good:
        devices.append({"serial": "leap", "installedOn": "2024-02-29"})
    survey = []
    for age in range(1, 4) if is_good else random.sample(range(1, 7), random.randint(3, 6)):
        surveyed = random.randint(50, 100) if is_good else random.randint(25, 70)
        survey.append({"age": age, "surveyed": surveyed, "inUse": random.randint(surveyed // 2, surveyed)})
    made = {
        "method": method,
        "convention": random.choice(["two-sided-90", "one-sided-90"]),
        "design": design,
        "test": {
            "startDate": start.isoformat(),
            "endDate": (start + timedelta(days=random.choice([3, 4, 6] if is_good else [2, 3, 3, 4, 6]))).isoformat(),
            "dayCount": random.choice(["calendar", "interval"]),
        },
        "groups": {
            "reference": group(before, 1, size),
            "intervention": group(after, saved, random.randint(max(5, size - 5), size + 5)),
        },
        "householdSize": round(random.uniform(2, 8), 1),
        "devices": devices,
        "creditingPeriod": {
            "from": period.isoformat(),
            "to": (period + timedelta(days=random.choice([89, 181, 364, 365]))).isoformat(),
        },
        "usageSurvey": survey,
        "factors": {fuel: factors_of(random, fuel) for fuel in sorted(burnt)},
        "parameters": parameters_of(random, method),
    }
    if random.random() < 0.3:
        asked = {"sample": (30, 50), "days": (3, 5), "usage-survey": (100, 250), "usage-cohort": (30, 80)}
        made["minimums"] = [{"name": name, "value": random.randint(*asked[name])} for name in random.sample(sorted(asked), 2)]
        made["minimums"].append({"name": "precision", "value": round(random.uniform(0.02, 0.4), 3)})
    if strata is not None:
        made["strata"] = strata
    per = random.choice(["household", "person", "standard-adult"])
    if per != "household":
        made["value"] = {"per": per, "perHousehold": round(random.uniform(0.5, 3), 4)}
    if random.random() < 0.4:
        made["gwp"] = random.choice(["AR4", "AR5", "AR6"])
    if random.random() < 0.4:
        made["surveyedOn"] = (start + timedelta(days=random.randint(0, 40))).isoformat()
    return made


def metered(random: Random) -> dict:
    """A project of the method for metered devices."""
    by_ratio = random.random() < 0.5
    fuels = random.sample(BIOMASS + FOSSIL + ["electricity"], random.randint(1, 4))

    def row(fuel: str) -> dict:
        given = factors_of(random, fuel)
        for name in ("dryNcv", "moisture"):
            given.pop(name, None)
        upstream = {} if fuel == "electricity" else {"UEF": round(random.uniform(0, 10), 2)}
        return {"fuel": fuel} | given | upstream

    baseline = []
    left = 100
    for number, fuel in enumerate(fuels):
        part = left if number == len(fuels) - 1 else random.randint(1, left - (len(fuels) - number - 1))
        left -= part
        one = row(fuel)
        if by_ratio:
            one["share"] = part / 100
        else:
            one |= {"P": round(random.uniform(0.0002, 0.01), 6), "eta": round(random.uniform(0.08, 0.6), 3)}
        baseline.append(one)
    project = []
    for fuel in random.sample(["electricity", "lpg", "biogas", "ethanol"], random.randint(1, 2)):
        one = row(fuel) | {"P": round(random.uniform(10, 900), 2)}
        project.append(one if by_ratio else one | {"eta": round(random.uniform(0.4, 0.95), 4)})
    parameters = {
        "P_CAP": round(random.uniform(0.002, 0.02), 4),
        "users": random.randint(500, 9000),
        "DAF": round(random.uniform(0, 0.2), 3),
        "MPE": round(random.uniform(0, 0.05), 3),
        "coverage": round(random.uniform(0.95, 1), 3),
        "N_new": random.randint(0, 2000),
    }
    if by_ratio:
        parameters |= {"SC_b": round(random.uniform(0.001, 0.003), 6), "SC_p": round(random.uniform(0.0002, 0.0009), 6)}
    if random.random() < 0.3:
        parameters["BAU"] = round(random.uniform(100, 3000), 1)
    inputs = {"parameters": parameters, "baseline": baseline, "project": project}
    if random.random() < 0.3:
        inputs["gwp"] = random.choice(["AR4", "AR5", "AR6"])
    return {"method": "mecd-specific-energy" if by_ratio else "mecd-useful-energy", "inputs": inputs}


def main() -> None:
    seed, campaigns, projects = (int(each) for each in sys.argv[1:4])
    random = Random(seed)
    made = {"campaigns": [campaign(random) for _ in range(campaigns)], "metered": [metered(random) for _ in range(projects)]}
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()

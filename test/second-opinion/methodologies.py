"""The methodologies' equations, written from their published text. Every amount is a Decimal in tCO2e, t, TJ or MWh."""

from decimal import Decimal as D

# IPCC 2006, volume 2: NCV (TJ/Gg, table 1.2), CO2, CH4 and N2O (kg/TJ, table 2.5, residential), and how the CO2 counts.
IPCC = {
    "wood": ("15.6", 112000, "300", "4", "woody"),
    "charcoal": ("29.5", 112000, "200", "1", "woody"),
    "pellets": ("15.6", 112000, "300", "4", "woody"),
    "briquettes": ("15.6", 112000, "300", "4", "woody"),
    "residues": ("11.6", 100000, "300", "4", "biomass"),
    "dung": ("11.6", 100000, "300", "4", "biomass"),
    "ethanol": ("27.0", 70800, "10", "0.6", "biomass"),
    "biogas": ("50.4", 54600, "5", "0.1", "biomass"),
    "lpg": ("47.3", 63100, "5", "0.1", "fossil"),
    "kerosene": ("43.8", 71900, "10", "0.6", "fossil"),
    "natural-gas": ("48.0", 56100, "5", "0.1", "fossil"),
}
# Warming potentials over 100 years: CH4 of biomass, CH4 of fossil fuels, N2O.
WARMING = {"AR4": ("25", "25", "298"), "AR5": ("28", "28", "265"), "AR6": ("27.0", "29.8", "273")}


def emissions_of_a_unit(fuel: str, given: dict, gwp: str) -> D:
    """tCO2e of burning 1 t, or of using 1 MWh of electricity."""
    if fuel == "electricity":
        return given["EF_el"] * (1 + given["TDL"])
    ncv, co2, ch4, n2o, carrier = IPCC[fuel]
    ch4_biomass, ch4_fossil, warming_n2o = (D(each) for each in WARMING[gwp])
    methane = ch4_fossil if carrier == "fossil" else ch4_biomass
    other = (D(ch4) * methane + D(n2o) * warming_n2o) / 1000
    counted = {"woody": None, "biomass": D(0), "fossil": D(1)}[carrier]
    energy = given.get("NCV", D(ncv) / 1000)
    share = given.get("fNRB", counted)
    return energy * (given.get("EF_CO2", D(co2) / 1000) * share + given.get("EF_nonCO2", other))


def cap_of(fuel: str, given: dict, wood: str, charcoal: str) -> D:
    """t of a person and year that are credited; of dry mass the tonnes with the same energy as fuel as it is usually weighed."""
    cap = D(charcoal if fuel == "charcoal" else wood)
    return cap * (D(IPCC[fuel][0]) / 1000) / given["NCV"] if given.get("dry") else cap


def energy_of_a_unit(fuel: str, given: dict) -> D:
    """TJ in 1 t, or in 1 MWh of electricity."""
    return D("0.0036") if fuel == "electricity" else given.get("NCV", D(IPCC[fuel][0]) / 1000)


def is_woody(fuel: str) -> bool:
    return fuel != "electricity" and IPCC[fuel][4] == "woody"


def smec(baseline, project, devices, parameters, gwp):
    """Gold Standard SMEC v4.0. `baseline` and `project`: (fuel, kg or kWh of a household and day, factors)."""
    years = D(devices["days"]) / 365
    business_as_usual = D(0)
    for fuel, daily, given in baseline:
        yearly = daily * 365 / 1000
        if is_woody(fuel):
            yearly = min(yearly, cap_of(fuel, given, "1.25", "0.40") * devices["people"])
        business_as_usual += years * devices["usage"] * yearly * emissions_of_a_unit(fuel, given, gwp)
    credited = max(min(business_as_usual * (1 - parameters["DAF"]), business_as_usual), D(0))
    activity = sum(
        (years * devices["usage"] * daily * 365 / 1000 * emissions_of_a_unit(fuel, given, gwp) for fuel, daily, given in project),
        D(0),
    )
    year = parameters.get("year", D(1))
    if parameters["life"] < 5:
        charged = D(1)
    else:
        charged = D(1) / 5 if year <= 5 else D(0)
    leakage = devices["new"] * D("0.017") * charged + D("0.02") * (credited - activity)
    return credited, activity, leakage, (credited - activity) * parameters["HE"] - leakage


def tpddtec(baseline, project, devices, parameters, gwp):
    """Gold Standard TPDDTEC v4.0 in technology-days, method 3; default leakage leaves 95 % of a reduction."""
    credited = D(0)
    for fuel, daily, given in baseline:
        tonnes = daily / 1000
        if is_woody(fuel):
            tonnes = min(tonnes, cap_of(fuel, given, "0.95", "0.2375") * devices["people"] / 365)
        credited += devices["days"] * devices["usage"] * tonnes * emissions_of_a_unit(fuel, given, gwp)
    used = sum(
        (devices["days"] * devices["usage"] * daily / 1000 * emissions_of_a_unit(fuel, given, gwp) for fuel, daily, given in project),
        D(0),
    )
    leakage = parameters["LE"] if "LE" in parameters else max(credited - used, D(0)) * D("0.05")
    return credited, used, leakage, credited - used - leakage


def tpddtec_plain(baseline, project, devices, parameters, gwp):
    """Baseline, capped as by SMEC, less project less assessed leakage, in device-years."""
    years = D(devices["days"]) / 365
    credited = D(0)
    for fuel, daily, given in baseline:
        yearly = daily * 365 / 1000
        if is_woody(fuel):
            yearly = min(yearly, cap_of(fuel, given, "1.25", "0.40") * devices["people"])
        credited += years * devices["usage"] * yearly * emissions_of_a_unit(fuel, given, gwp)
    used = sum(
        (years * devices["usage"] * daily * 365 / 1000 * emissions_of_a_unit(fuel, given, gwp) for fuel, daily, given in project),
        D(0),
    )
    return credited, used, parameters["LE"], credited - used - parameters["LE"]


def vm0050(baseline, project, devices, parameters, gwp):
    """Verra VM0050 v1.0: equations 1 to 3, 7, 8 and 11."""
    years = D(devices["days"]) / 365 * devices["usage"]
    emissions = lambda side: sum(
        (years * daily * 365 / 1000 * emissions_of_a_unit(fuel, given, gwp) for fuel, daily, given in side), D(0)
    )
    energy = lambda side: sum((years * daily * 365 / 1000 * energy_of_a_unit(fuel, given) for fuel, daily, given in side), D(0))
    kept = D(1)
    before = energy(baseline)
    if parameters["eta_new"] < D("0.7") and before > 0:
        kept = min(D(1), energy(project) * parameters["eta_new"] / parameters["eta_old"] / before)
    credited = kept * emissions(baseline)
    used = emissions(project) + parameters["PE_other"]
    reduction = (credited - used) * D("0.95") - parameters["LE_RB"]
    return credited, used, credited - used - reduction, reduction


CAMPAIGN_METHODS = {"smec-4": smec, "tpddtec-4": tpddtec, "tpddtec": tpddtec_plain, "vm0050-1": vm0050}
# What the precision rule looks at, and the widest half-width relative to it.
PRECISION = {
    "smec-4": ("mean", D("0.1")),
    "tpddtec-4": ("saving", D("0.3")),
    "tpddtec": ("mean", D("0.1")),
    "vm0050-1": ("mean", D("0.1")),
}


def mecd(inputs: dict, gwp: str):
    """Gold Standard MECD v2.0: method 2 by specific energy where SC_b is given, else method 1 by useful energy."""
    parameters = inputs["parameters"]
    upstream = lambda fuel, given: D(0) if fuel == "electricity" else given["UEF"] * energy_of_a_unit(fuel, given)
    unit = lambda fuel, given: emissions_of_a_unit(fuel, given, gwp) + upstream(fuel, given)
    measured = sum((row["P"] * energy_of_a_unit(row["fuel"], row) for row in inputs["project"]), D(0))
    used = sum((row["P"] * unit(row["fuel"], row) for row in inputs["project"]), D(0))
    if "SC_b" in parameters:
        energy = measured * parameters["SC_b"] / parameters["SC_p"]
        factor = sum(
            (row["share"] * unit(row["fuel"], row) / energy_of_a_unit(row["fuel"], row) for row in inputs["baseline"]), D(0)
        )
    else:
        useful = sum((row["P"] * energy_of_a_unit(row["fuel"], row) * row["eta"] for row in inputs["project"]), D(0))
        household = [(row["P"] * energy_of_a_unit(row["fuel"], row), row) for row in inputs["baseline"]]
        efficiency = sum((tj * row["eta"] for tj, row in household), D(0)) / sum((tj for tj, _ in household), D(0))
        energy = useful / efficiency
        factor = sum((row["P"] * unit(row["fuel"], row) for _, row in household), D(0)) / sum((tj for tj, _ in household), D(0))
    uncapped = min(energy, parameters["P_CAP"] * parameters["users"]) * factor
    credited = max(min(uncapped * (1 - parameters["DAF"]), parameters.get("BAU", uncapped)), D(0))
    if parameters["MPE"] > D("0.025"):
        used *= 1 + parameters["MPE"]
    leakage = parameters["N_new"] * D("0.017") + D("0.02") * (credited - used)
    return credited, used, leakage, credited - used - leakage

/** The words of the records that the regulator makes for the reports of Article 6. */

/**
 * How a Party accounts over the years of its NDC period, in the order of the numbers on chain, from 1. Source: decision 2/CMA.3,
 * annex, paragraph 7: (a)(i) a single-year NDC with an indicative multi-year trajectory or budget, (a)(ii) a single-year NDC with
 * averaging, (b) a multi-year NDC.
 */
export const ndcMethods = ["trajectory", "averaging", "cumulative"] as const;
export type NdcMethod = (typeof ndcMethods)[number];

/** Under which part of Article 6 a cooperative approach is, in the order of the numbers on chain, from 1. */
export const mechanisms = ["article-6.2", "article-6.4"] as const;
export type Mechanism = (typeof mechanisms)[number];

/**
 * Least shares of what an approach under Article 6.4 issues, ten-thousandths. Source: decision 3/CMA.3, annex, chapters VII (share of
 * proceeds for adaptation: 5 %) and VIII (OMGE: 2 %).
 */
export const mandatoryShares = { omge: 200, sop: 500 } as const;

/**
 * The phases of CORSIA and their compliance years. Source: ICAO Annex 16, volume IV. Which units are eligible in a phase is decided
 * by the ICAO Council for each programme ("CORSIA Eligible Emissions Units"); the regulator records it.
 */
export const corsiaPhases = {
  "pilot-phase": { firstYear: 2021, lastYear: 2023 },
  "first-phase": { firstYear: 2024, lastYear: 2026 },
  "second-phase": { firstYear: 2027, lastYear: 2035 },
} as const;
export type CorsiaPhase = keyof typeof corsiaPhases;

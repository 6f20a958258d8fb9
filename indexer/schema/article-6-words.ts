/** The words of the records that the regulator makes for the reports of Article 6. */

/**
 * How a Party accounts over the years of its NDC period, in the order of the numbers on chain, from 1. Source: decision 2/CMA.3,
 * annex, paragraph 7: (a)(i) a single-year NDC with an indicative multi-year trajectory or budget, (a)(ii) a single-year NDC with
 * averaging, (b) a multi-year NDC.
 */
export const ndcMethods = ["trajectory", "averaging", "cumulative"] as const;
export type NdcMethod = (typeof ndcMethods)[number];

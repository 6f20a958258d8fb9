/** Query key of the list of mobile-money partners. */
export const partnersKey = ["payout-partners"];

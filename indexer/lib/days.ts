const secondsPerDay = 86_400n;

/** Days since 1970-01-01 UTC. @param timestamp seconds since 1970 */
export const dayOf = (timestamp: bigint): number => Number(timestamp / secondsPerDay);

const DAY = 86_400n;

/**
 * When a revocation is final: two UTC midnights after it, as `IVouchers.isRevocationFinal` says. Until then the guardian may
 * veto it. Seconds since 1970.
 */
export const revocationFinalAt = (revokedAt: bigint): bigint => (revokedAt / DAY + 2n) * DAY;

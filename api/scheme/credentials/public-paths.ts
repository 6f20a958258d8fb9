/**
 * Public paths below /v1. Anyone with a credential must be able to check its status, and anyone can get proofs and
 * signed receipts of the chain's public facts.
 */
export const publicPaths = ["/v1/status-lists/*", "/v1/itmo/:id/proof", "/v1/receipts/:id"];

/**
 * Below /v1, and yet without a key: whoever holds a credential must be able to ask whether it stands, and whoever doubts the chain's
 * public facts gets them proven or signed.
 */
export const publicPaths = ["/v1/status-lists/*", "/v1/itmo/:id/proof", "/v1/receipts/:id"];

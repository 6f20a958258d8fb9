/** Below /v1, and yet without a key: who may decide says a member's or the guardian's own signature, never a key of ours. */
export const councilPaths = ["/v1/pool/proposals", "/v1/pool/proposals/*", "/v1/pool/pause", "/v1/pool/council"];

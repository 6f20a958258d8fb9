/**
 * Public paths below /v1. These requests are authorised by a signature of a member or the guardian, not by an API key.
 */
export const councilPaths = ["/v1/pool/proposals", "/v1/pool/proposals/*", "/v1/pool/pause", "/v1/pool/council"];

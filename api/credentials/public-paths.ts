/** Below /v1, and yet without a key: whoever holds a credential must be able to ask whether it stands. */
export const publicPaths = ["/v1/status-lists/*"];

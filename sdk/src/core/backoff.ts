/** How a connection that broke is tried again: after 0.3 s at first, after 8 s at most, for about a minute in all. */
export const backoff = { retries: 12, minTimeout: 300, maxTimeout: 8_000, factor: 2, randomize: true };

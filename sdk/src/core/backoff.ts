/** Retry schedule of a broken connection: first after 0.3 s, then at most 8 s apart, for about a minute in total. */
export const backoff = { retries: 12, minTimeout: 300, maxTimeout: 8_000, factor: 2, randomize: true };

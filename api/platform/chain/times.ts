/** Format chain time, in unix seconds, as ISO 8601 in UTC. */
export function isoTime(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

/** Seconds since 1970, as the chain counts them → ISO 8601 in UTC. */
export function isoTime(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

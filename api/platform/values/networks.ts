import ipaddr from "ipaddr.js";

export type Ranges = ReturnType<typeof ipaddr.parseCIDR>[];

/** @param forwarded the header X-Forwarded-For, where a trusted proxy wrote it */
export function addressOf(remote: string | undefined, forwarded: string | undefined): string {
  const last = forwarded?.split(",").at(-1)?.trim();
  return last !== undefined && ipaddr.isValid(last) ? last : (remote ?? "127.0.0.1");
}

/** Return a client's network: its IPv4 address, or the first 64 bits of its IPv6 address. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}

/** Parse `10.0.0.0/8` or a single address. */
export function parseRanges(texts: string[]): Ranges {
  return texts.map((text) => {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const single = ipaddr.parse(text);
    return [single, single.kind() === "ipv4" ? 32 : 128];
  });
}

/** Check whether parseRanges accepts the text. */
export function isRange(text: string): boolean {
  try {
    return parseRanges([text]).length === 1;
  } catch {
    return false;
  }
}

/** Check whether the address is in one of the ranges. An IPv4 address written as IPv6 counts as IPv4. */
export function isInRanges(address: string, ranges: Ranges): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

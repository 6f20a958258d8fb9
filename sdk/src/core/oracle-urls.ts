import { authConfigOf } from "./authz-config.ts";
import type { OracleConfig } from "./config.ts";
import type { Overrides } from "./types.ts";

/** Replace an oracle's registered URLs by the app's. A base URL is used for the socket too, unless that has its own. */
export function withOverrides(data: OracleConfig | undefined, { baseUrl, wsUrl }: Overrides): Partial<OracleConfig> {
  const own = baseUrl === undefined ? {} : { apiUrl: baseUrl, socketUrl: baseUrl };
  return { ...data, ...own, ...(wsUrl === undefined ? {} : { socketUrl: wsUrl }) };
}

/** Describe an oracle's configuration for a user, whose address pays. */
export function configFor(address: string, data: OracleConfig | undefined, overrides: Overrides) {
  const { apiUrl = null, socketUrl = null, ...rest } = withOverrides(data, overrides);
  return { ...rest, apiUrl, socketUrl, authConfig: authConfigOf(data, address) };
}

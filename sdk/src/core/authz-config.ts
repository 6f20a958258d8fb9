import type { OracleConfig } from "./config.ts";

/** Who is paid for an oracle's work. */
export type IAuthzConfig = {
  /** Always empty: a deposit is all that an oracle needs from its user. */
  requiredPermissions: string[];
  granterAddress?: string;
  granteeAddress: string;
  expirationDays?: number;
  spendLimit?: { denom: string; amount: string }[];
  oracleName: string;
};

/** Describe who pays whom; undefined for an oracle that is not on chain. */
export function authConfigOf(config: OracleConfig | undefined, granterAddress: string): IAuthzConfig | undefined {
  if (config?.payee === undefined) return undefined;
  const oracleName = config.name ?? config.oracleDid;
  return { requiredPermissions: [], granterAddress, granteeAddress: config.payee, oracleName };
}

/** Each contract's file, without its extension. Its module in deployments/abi has its entries and all that it inherits or reverts with. */
export const contractFiles: Readonly<Record<string, string>> = {
  participants: "contracts/participants/Participants",
  certificates: "contracts/certificates/Certificates",
  carbon: "contracts/carbon/Carbon",
  vouchers: "contracts/vouchers/Vouchers",
  claims: "contracts/claims/Claims",
  pool: "contracts/pool/Pool",
  directory: "contracts/governance/Directory",
  audits: "contracts/audits/Audits",
  campaigns: "contracts/campaigns/Campaigns",
  itmo: "contracts/itmo/Itmo",
  oracles: "contracts/oracles/OracleRegistry",
  parameters: "contracts/parameters/Parameters",
  authorizations: "contracts/itmo/Authorizations",
  invalidationBuffer: "contracts/itmo/InvalidationBuffer",
  stablecoin: "contracts/mocks/TestStablecoin",
  timelock: "contracts/governance/CouncilTimelock",
};

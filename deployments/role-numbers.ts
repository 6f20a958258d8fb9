/** Role numbers by name, see contracts/shared/Roles.sol. */
export const roleNumbers = {
  council: 0n,
  guardian: 1n,
  registrar: 2n,
  operator: 3n,
  evaluator: 4n,
  ledger: 5n,
  converter: 6n,
} as const;
export type RoleName = keyof typeof roleNumbers;

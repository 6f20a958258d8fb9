/** Kinds of signature that links may carry, with the codes of UCAN's signature format. EIP191 is what Ethereum wallets sign. */
export const signatureCodes = {
  EdDSA: 0xd0ed,
  ES256: 0xd01200,
  ES256K: 0xd0e7,
  RS256: 0xd01205,
  EIP191: 0xd191,
} as const;
export type SignatureKind = keyof typeof signatureCodes;

/** Undefined for every other algorithm. */
export function kindOfSignature(code: number): SignatureKind | undefined {
  return (Object.keys(signatureCodes) as SignatureKind[]).find((kind) => signatureCodes[kind] === code);
}

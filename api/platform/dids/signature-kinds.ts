/** Kinds of signature that links may have, with their codes in UCAN's signature format. Ethereum wallets sign by EIP191. */
export const signatureCodes = {
  EdDSA: 0xd0ed,
  ES256: 0xd01200,
  ES256K: 0xd0e7,
  RS256: 0xd01205,
  EIP191: 0xd191,
} as const;
export type SignatureKind = keyof typeof signatureCodes;

/** Return the kind of signature for a code; undefined for an unknown code. */
export function kindOfSignature(code: number): SignatureKind | undefined {
  return (Object.keys(signatureCodes) as SignatureKind[]).find((kind) => signatureCodes[kind] === code);
}

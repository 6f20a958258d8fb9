/** The context of VCDM 1.1, whose JWT form Veramo and did-jwt-vc issue and read. */
export const v1Context = "https://www.w3.org/2018/credentials/v1";
/** Terms of Bitstring Status List, which VCDM 2.0 includes in its context. */
export const statusContext = "https://www.w3.org/ns/credentials/status/v1";
/** Defines every other term, so that linked-data readers drop nothing that is signed. */
export const openContext = "https://www.w3.org/ns/credentials/undefined-terms/v2";

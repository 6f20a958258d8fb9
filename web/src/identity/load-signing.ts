/** Load the code that makes, opens and uses keys. @throws Error when it cannot be fetched; `isCodeLost` recognises it */
export const loadSigning = () => import("./signing.ts");

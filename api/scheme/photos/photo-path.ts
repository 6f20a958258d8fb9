/** The folder of photos in the scheme's part of the file store. No campaign's folder begins with a tilde and letters. */
export const pathOf = (sha256: string): string => `/kpt/~photos/${sha256}`;

/** The folder of photos that are being destroyed. */
export const endingFolder = "/kpt/~ending-photos";
/** Where a photo goes before it is destroyed. The same photo may come and go again before that. */
export const endingPathOf = (sha256: string, fileId: string): string => `${endingFolder}/${sha256}-${fileId}`;
/** The SHA-256 of a photo in that folder. */
export const endingSha256 = (path: string): string => path.slice(endingFolder.length + 1).split("-")[0] ?? "";

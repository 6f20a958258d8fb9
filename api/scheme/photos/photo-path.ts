/** The folder of photos in the scheme's part of the file store. No campaign's folder begins with a tilde and letters. */
export const pathOf = (sha256: string): string => `/kpt/~photos/${sha256}`;

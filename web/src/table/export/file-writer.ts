/** Writes a file piece by piece. */
export type FileWriter = { add: (rows: string[][]) => void; end: () => Blob };

export type LockOwner = { pid: number; start: string };
export type Lock = { release: () => void; owner?: undefined } | { owner: LockOwner; release?: undefined };
export function startOf(pid: number): string | undefined;
export function liveOwner(file: string): LockOwner | undefined;
export function tryLock(file: string): Lock;

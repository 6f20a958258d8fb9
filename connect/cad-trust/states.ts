/**
 * `sending`, `editing`, `removing`: a request was begun, and its outcome is not known yet. `staged`: the server has it, but has not
 * committed it. `published`: read back as sent. `differs`: committed with other values. `refused`: the server refused it.
 */
export const recordStates = ["sending", "editing", "removing", "staged", "published", "differs", "refused"] as const;
export type RecordState = (typeof recordStates)[number];

/** `waiting`: for the server to write a commit, or until it answers again. */
export const runStatuses = ["queued", "running", "waiting", "published", "failed"] as const;
export type RunStatus = (typeof runStatuses)[number];

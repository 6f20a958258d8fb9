export { openSealing } from "./open-sealing.ts";
export { rotateSealingKey, SealingRotationError } from "./rotate.ts";

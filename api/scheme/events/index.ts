export { openDescriptions } from "./describe.ts";

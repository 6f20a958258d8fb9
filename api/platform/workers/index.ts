export { type Worker, Workers } from "./workers.ts";

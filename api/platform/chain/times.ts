export { isoTime } from "../../../wire/src/chain-values.ts";

// `node --import` of this file: the process's wall clock is ahead of the machine's by the milliseconds in the file CLOCK_FILE.
import { readFileSync } from "node:fs";

const RealDate = Date;
let aheadMs = 0;
const read = () => {
  aheadMs = Number(readFileSync(process.env.CLOCK_FILE, "utf8"));
};
read();
setInterval(read, 50).unref();
const now = () => RealDate.now() + aheadMs;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, created) => Reflect.construct(target, args.length === 0 ? [now()] : args, created),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

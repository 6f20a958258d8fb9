import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "tsdown";
import config from "../sdk/tsdown.config.ts";
import { runCommand } from "./run-command.ts";

const example = resolve("sdk/examples/chat");
const help = `npm run example:chat [-- --port 5173]
Build the SDK and serve its example app, which talks to the oracle of a running npm start. VITE_ORACLE_URL names another one.`;

const { values } = parseArgs({
  options: { port: { type: "string", default: "5173" }, help: { type: "boolean", default: false } },
});
if (values.help) {
  console.log(help);
} else {
  await build({ ...config, config: false, cwd: "sdk", logLevel: "warn" });
  const vite = createRequire(join(example, "package.json")).resolve("vite/package.json");
  const program = join(dirname(vite), "bin", "vite.js");
  const { code } = await runCommand(process.execPath, [program, example, "--port", values.port, "--strictPort"]);
  process.exitCode = code;
}

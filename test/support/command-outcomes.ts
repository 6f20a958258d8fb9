// node command-outcomes.ts <script>…: what each command prints and how it ends when it is called with --help and with an option that
// it lacks. All run in this process, one after the other, so the modules that they share are loaded once. A line of JSON for each call.
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

class Exit extends Error {}

type Write = typeof process.stdout.write;
const print = process.stdout.write.bind(process.stdout);
const exit = process.exit.bind(process);
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Exit)) throw error;
});

/** Call a command as `node <script> <option>` does. It ends where it calls `process.exit`; what it prints later is not counted. */
async function outcomeOf(script: string, option: string) {
  const printed = { stdout: "", stderr: "" };
  let status: unknown;
  const exited = Promise.withResolvers<void>();
  const collect = (name: "stdout" | "stderr"): Write => {
    return ((text: string | Uint8Array) => {
      if (status === undefined) printed[name] += String(text);
      return true;
    }) as Write;
  };
  process.stdout.write = collect("stdout");
  process.stderr.write = collect("stderr");
  process.exit = (code) => {
    status ??= code ?? 0;
    exited.resolve();
    throw new Exit();
  };
  process.exitCode = undefined;
  process.argv = [process.execPath, resolve(script), option];
  process.env.DATA_DIR = join(process.env.COMMAND_FOLDERS ?? "", basename(script));
  try {
    await Promise.race([import(`${pathToFileURL(script).href}?${option}`), exited.promise]);
    status ??= process.exitCode ?? 0;
  } catch (error) {
    if (!(error instanceof Exit)) {
      status ??= 1;
      printed.stderr += String(error);
    }
  }
  return { script, option, status, ...printed };
}

const outcomes: string[] = [];
for (const script of process.argv.slice(2)) {
  for (const option of ["--help", "--what"]) outcomes.push(JSON.stringify(await outcomeOf(script, option)));
}
print(`${outcomes.join("\n")}\n`, () => exit(0));

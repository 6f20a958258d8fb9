// npm run oracle -- new-plugin <name>: tools for developers of the oracle runtime.
import { join, relative } from "node:path";
import { Command } from "commander";
import { exitOnUsage } from "./command-options.ts";
import { writeNewPlugin } from "./oracle/new-plugin.ts";

const root = join(import.meta.dirname, "..");

const program = new Command("npm run oracle --").description("Work on the oracle runtime.").exitOverride(exitOnUsage);

program
  .command("new-plugin <name>")
  .description("write the folder of a new plugin, with one tool and its test, and add it to the bundled ones")
  .action(async (name: string) => {
    const files = await writeNewPlugin(join(root, "api/oracle/plugins"), name);
    for (const file of files) console.log(`  ${relative(root, file)}`);
    console.log(`\nRun it:  node --test api/oracle/plugins/${name}/${name}.test.ts`);
    console.log(`Use it:  npm start, then say "/tool load_capability {"names":["${name}"]}" to the oracle`);
  });

program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { readOptions } from "./command-options.ts";
import { exampleProblems, sdkEntries } from "./sdk/examples.ts";

const help = `node scripts/sdk-examples.ts
Check that every function, hook, component and class that the SDK exports has an @example, and that all examples compile.`;

readOptions(help, {});
const problems = exampleProblems("sdk/tsconfig.json", sdkEntries, ["sdk/README.md"]);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

import { readOptions } from "./command-options.ts";
import { exampleProblems, sdkEntries } from "./sdk/examples.ts";
import { thickHooks } from "./sdk/thin-hooks.ts";

const help = `node scripts/check-sdk.ts
Check that every function, hook, component and class that the SDK and the HTTP API's client export has an @example, that all
examples compile, and that the logic of hooks is outside React.`;

readOptions(help, {});
const problems = [
  ...exampleProblems("sdk/tsconfig.json", sdkEntries, ["sdk/README.md"]),
  ...exampleProblems("wire/tsconfig.json", ["wire/src/index.ts"]),
  ...thickHooks("sdk/src"),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

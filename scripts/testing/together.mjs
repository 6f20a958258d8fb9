// Runs several files of tests one after the other in one process, which loads and compiles its modules once. Each file is a suite,
// so its outer hooks begin and end with it. The next file is loaded when this one's tests have ended.
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
// Before any file, because its hook belongs to the whole process.
import "../../test/support/process-end.ts";

for (const file of process.argv.slice(2)) {
  await new Promise((done) => {
    describe(file, async () => {
      // Before the hooks of the file: one that throws keeps later ones from running.
      after(done);
      try {
        await import(pathToFileURL(file).href);
      } catch (error) {
        it(file, () => {
          throw error;
        });
      }
    });
  });
}

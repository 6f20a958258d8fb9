import { repeatCommand } from "./repeat/command.ts";

process.exitCode = await repeatCommand(process.argv.slice(2), console);

// `npm run repeat`, which at its end prints the process's peak memory in KiB.
process.on("exit", () => console.error(`peak ${process.resourceUsage().maxRSS}`));
await import("../scripts/repeat.ts");

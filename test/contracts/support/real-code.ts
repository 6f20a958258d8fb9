/** Code that is instrumented for coverage is larger and costs more gas, so tests of size or gas must be left out. */
const instrumented = process.env.HEARTH_COVERAGE === "1";

export const describeReal = instrumented ? describe.skip : describe;
export const itReal = instrumented ? it.skip : it;

/**
 * Exit code of a program that cannot work with its configuration (sysexits.h: EX_CONFIG): another start would fail in the same way, so
 * its supervisor does not start it again.
 */
export const configurationExitCode = 78;

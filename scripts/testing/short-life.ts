/**
 * V8's options for processes that live for a minute or two. WebAssembly (PGlite) is compiled once and quickly, as better code does not
 * earn back its compilation; a larger space for new objects, in MB, is collected less often.
 */
export const shortLife: readonly string[] = ["--liftoff-only", "--min-semi-space-size=32", "--max-semi-space-size=32"];

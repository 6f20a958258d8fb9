import { close, closeSync, fsync, open, read, write } from "node:fs";

// Callback functions for many small blobs: a FileHandle of node:fs/promises costs as much as the system call itself.

type Done<Value> = (error: NodeJS.ErrnoException | null, value: Value) => void;

function called<Value>(run: (done: Done<Value>) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    run((error, value) => (error === null ? resolve(value) : reject(error)));
  });
}

/** A file's descriptor; the caller closes it. */
export function openFile(path: string, flags: "r" | "wx", mode?: number): Promise<number> {
  return called<number>((done) => open(path, flags, mode, done));
}

/** Write the bytes from `at` on at the file's position. @returns how many were written */
export function writeFile(file: number, bytes: Uint8Array, at: number): Promise<number> {
  return called<number>((done) => write(file, bytes, at, bytes.length - at, null, done));
}

/** Read the bytes at `position` into the buffer. @returns how many were read; 0 at the end of the file */
export function readFile(file: number, into: Uint8Array, position: number): Promise<number> {
  return called<number>((done) => read(file, into, 0, into.length, position, done));
}

export function syncFile(file: number): Promise<void> {
  return called<void>((done) => fsync(file, (error) => done(error, undefined)));
}

export function closeFile(file: number): Promise<void> {
  return called<void>((done) => close(file, (error) => done(error ?? null, undefined)));
}

/** Close a file that was only read. There is nothing to wait for, so the thread pool would only add its cost. */
export function closeReadFile(file: number): void {
  closeSync(file);
}
